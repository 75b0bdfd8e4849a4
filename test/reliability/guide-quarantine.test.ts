import { afterEach, describe, expect, it } from 'vitest';
import { textsOf } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import type { Triton } from '../support/triton.ts';
import { complete, startOver, startTritons } from './two-servers.ts';

let tritons: Triton[] = [];
let conch: Conch | undefined;
afterEach(async () => {
  await conch?.stop();
  await Promise.all(tritons.map(({ stop }) => stop()));
  [tritons, conch] = [[], undefined];
});

describe('the guide quarantine', { timeout: 120_000 }, () => {
  it('lets one client end two engines, in all workers together, and the third goes on', async () => {
    tritons = await startTritons(['vllm-toy'], ['vllm-toy'], ['vllm-toy']);
    conch = await startOver(tritons, '--workers=2', '--engine-recovery=off', '--engine-check-interval=1h');
    const over = conch;
    const ask = async (guided_regex: string) => {
      const { status, body, headers } = await complete(over, { answer: 'well' }, { guided_regex });
      const { error } = body as { error?: { code: string; param: string | null } };
      return [status, error?.code, error?.param, headers.get('x-should-retry')];
    };
    // The metrics are those of all workers: when they come, each has heard what the others told it before.
    const metrics = async () => (await fetch(`${over.url}/metrics`).then((response) => response.text())).split('\n');
    expect(await ask('killsTheEngine1')).toEqual([503, 'model_not_ready', null, 'false']);
    await metrics();
    const refused = [400, 'guide_quarantined', 'guided_regex', 'false'];
    for (let time = 0; time < 4; time++) expect(await ask('killsTheEngine1')).toEqual(refused);
    expect(await ask('killsTheEngine2')).toEqual([503, 'model_not_ready', null, 'false']);
    await metrics();
    for (let time = 3; time < 9; time++)
      expect(await ask(`killsTheEngine${time}`)).toEqual([429, 'rate_limit_exceeded', 'guided_regex', null]);
    expect(await ask('killsTheEngine1')).toEqual(refused);
    for (let time = 0; time < 4; time++) expect(textsOf(await complete(over, { answer: 'well' }))).toEqual(['well']);
    expect((await metrics()).filter((line) => /^conch_(?:guides|clients)_/.test(line))).toEqual([
      'conch_guides_quarantined_total{model="vllm-toy"} 2',
      'conch_clients_suspended_total{model="vllm-toy"} 1',
    ]);
    await over.logged(({ message }) => String(message).includes('a client is suspended'));
    const warnings = over.log().filter(({ guide, client }) => guide !== undefined || client !== undefined);
    expect(warnings).toMatchObject([
      { guide: '{"regex":"killsTheEngine1"}', client: '127.0.0.1', model: 'vllm-toy' },
      { guide: '{"regex":"killsTheEngine2"}', client: '127.0.0.1', model: 'vllm-toy' },
      { client: '127.0.0.1' },
    ]);
  });
});
