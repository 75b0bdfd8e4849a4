import { countOf, release } from '../gateway/requests.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response } from '../support/gateway.ts';

let tags = 0;

/** A completion that waits in the toy model until it is let go. */
export interface Held {
  readonly tag: string;
  readonly response: Promise<Response>;
  /** Resolves when the model has begun it and waits. */
  readonly untilHeld: () => Promise<unknown>;
  readonly release: () => Promise<void>;
  /** How it stands in the model: `unknown` when it never got there. */
  readonly state: () => Promise<string>;
}

interface Locations {
  /** Where it is sent. */
  readonly url: string;
  /** A Conch without limits in front of the same model, for what steers it. */
  readonly control: string;
  readonly model?: string;
}

/** Sends a completion that is held after its first token. */
export function hold({ url, control, model = 'vllm-toy' }: Locations, headers: Record<string, string> = {}): Held {
  const tag = `held-${process.pid}-${tags++}`;
  const prompt = directive({ tokens: 2, hold_at: 1, tag });
  // A connection of its own, so that it is nobody's turn twice.
  const response = post(`${url}/v1/completions`, { model, prompt }, { connection: 'close', ...headers });
  response.catch(() => undefined);
  return {
    tag,
    response,
    untilHeld: () => countOf(control, tag, { model, until: 'held' }),
    release: () => release(control, tag, model),
    state: async () => (await countOf(control, tag, { model })).state,
  };
}

/** Those of several requests that are not answered yet, once one of them is, and that one. */
export async function firstCompleted(
  all: readonly Held[],
): Promise<{ first: Held; response: Response; others: Held[] }> {
  const { held: first, response } = await Promise.race(
    all.map(async (held) => ({ held, response: await held.response })),
  );
  return { first, response, others: all.filter((held) => held !== first) };
}
