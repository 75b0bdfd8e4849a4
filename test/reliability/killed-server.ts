import { expect } from 'vitest';
import { begin, type Started } from '../gateway/requests.ts';
import { startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf } from '../support/gateway.ts';
import { startTriton, type Triton } from '../support/triton.ts';

interface Size {
  /** Streams that run when a server is killed. */
  readonly streams: number;
  readonly kills: number;
}

const tokens = 20;
const words = Array.from({ length: tokens }, (_, at) => ` w${at + 1}`);
const prompt = directive({ tokens, delay_ms: 100 });

/**
 * Two tritonservers behind one Conch; in the middle of many streams one of them is killed, by turns, and comes back. Every
 * stream is whole or ends with an error, and what begins after the failure was seen succeeds.
 */
export async function killedServer({ streams, kills }: Size) {
  const options = { repository: 'test/models', modelControl: 'explicit', loadModels: ['vllm-toy'] } as const;
  const tritons: [Triton, Triton] = await Promise.all([startTriton(options), startTriton(options)]);
  const addresses = tritons.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  const template = ['--chat-template', inRoot('test/gateway/plain.jinja')];
  const conch = await startConch({
    flags: [...addresses.flatMap((address) => ['--triton', address]), '--refresh-interval', '200ms', ...template],
  });
  const ask = (): Started => begin(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt, stream: true });
  const figures = { streams: 0, whole: 0, failed: 0, after: 0, afterWhole: 0 };
  try {
    for (let round = 0; round < kills; round++) {
      const at = (round % 2) as 0 | 1;
      const running = Array.from({ length: streams }, ask);
      await Promise.all(running.map(({ until }) => until(' w2"')));
      await tritons[at].kill('SIGKILL');
      const ended = await Promise.all(running.map(async ({ whole }) => outcomeOf(await whole())));
      const failed = ended.filter((outcome) => outcome === 'failed').length;
      expect(failed, 'streams ran on the server that was killed').toBeGreaterThan(0);
      expect(failed, 'streams ran on the other server').toBeLessThan(streams);
      const after = await Promise.all(Array.from({ length: streams }, async () => outcomeOf(await ask().whole())));
      figures.streams += streams;
      figures.failed += failed;
      figures.whole += streams - failed;
      figures.after += streams;
      figures.afterWhole += after.filter((outcome) => outcome === 'whole').length;
      const seen = conch.log().length;
      tritons[at] = await startTriton({ ...options, ports: tritons[at] });
      const isBack = (line: Record<string, unknown>) =>
        String(line['message']) === `${addresses[at]} is reachable` && conch.log().indexOf(line) >= seen;
      await conch.logged(isBack);
    }
  } finally {
    await conch.stop();
    await Promise.all(tritons.map((triton) => triton.stop()));
  }
  return figures;
}

interface Piece {
  readonly error?: { readonly code: string };
  readonly choices?: { readonly text: string; readonly finish_reason: string | null }[];
}

/** Whether a stream is whole or ends with an error; anything else is thrown. */
function outcomeOf(text: string): 'whole' | 'failed' {
  // Refused before its stream began: one error as it stands.
  if (text.startsWith('{"error"')) return 'failed';
  const events = eventsOf(text) as (Piece | '[DONE]')[];
  const last = events.at(-1);
  const pieces = events.filter((event) => event !== '[DONE]');
  const choices = pieces.flatMap((event) => event.choices ?? []);
  const said = choices.map((choice) => choice.text).join('');
  expect(words.join('').startsWith(said), `no token lost or doubled in ${said}`).toBe(true);
  if (last !== '[DONE]') {
    expect(last).toEqual({ error: expect.objectContaining({ type: 'server_error' }) });
    return 'failed';
  }
  expect({ said, reason: choices.at(-1)?.finish_reason }).toEqual({ said: words.join(''), reason: 'stop' });
  return 'whole';
}
