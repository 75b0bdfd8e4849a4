import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateMaker } from '../grpc/certificates.ts';
import { runBench, startTokenGateway, type TokenGateway } from './bench-command.ts';

const maker = new CertificateMaker();
const authority = maker.authority('authority');
const { certificateFile, keyFile } = maker.signed('server', { by: 'authority', names: 'IP:127.0.0.1' });
const few = ['--requests', '4', '--warmup', '0', '--output-tokens', '4', '--server-token-count'];
let gateway: TokenGateway | undefined;

beforeAll(async () => {
  if (maker.isLeftOut) return;
  // Whether it is ready is asked over TLS, with a certificate that Node does not know.
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  gateway = await startTokenGateway(1, '--tls-cert', certificateFile, '--tls-key', keyFile);
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
});

afterAll(async () => {
  await gateway?.stop();
  maker.remove();
});

const url = (): string => gateway?.conch.url ?? '';

describe.skipIf(maker.isLeftOut)('conch bench over TLS', () => {
  it.each([[['--ca', authority.certificateFile]], [['--insecure']]])('measures with %j', async (flags) => {
    const { code, report } = await runBench(url(), [...few, ...flags]);
    expect([code, report?.levels.map(({ request_count: count }) => count)]).toEqual([0, [4]]);
  });

  it('trusts nobody else', async () => {
    const { code, stderr } = await runBench(url(), few);
    expect([code, stderr]).toEqual([
      2,
      `conch: --url: ${url()} is unreachable: UNABLE_TO_VERIFY_LEAF_SIGNATURE. Start the server, or set another --url.\n`,
    ]);
  });
});
