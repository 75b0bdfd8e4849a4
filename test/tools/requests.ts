import { expect } from 'vitest';
import type { Received } from '../gateway/requests.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post } from '../support/gateway.ts';

/** A call as the wire has it, with the id that it was given. */
export interface WireCall {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Delta {
  readonly role?: string;
  readonly content?: string | null;
  readonly refusal?: null;
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly tool_calls?: (Partial<WireCall> & { index: number; function: { name?: string; arguments: string } })[];
}

/** One choice, streamed or not, in the shape of an unstreamed one. */
interface Choice {
  readonly index: number;
  readonly message: Record<string, unknown>;
  readonly logprobs: { content: unknown[]; refusal: null } | null;
  readonly finish_reason: string | null;
}

interface Chunk {
  readonly choices: { index: number; delta: Delta; logprobs: Choice['logprobs']; finish_reason: string | null }[];
  readonly usage?: unknown;
}

/** The tools that most tests offer. */
export const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city'],
      },
    },
  },
  { type: 'function', function: { name: 'ping' } },
];

/** A call as Hermes and Qwen write it; the arguments are written as they are given. */
export function written(name: string, json: string): string {
  return `<tool_call>\n{"name": "${name}", "arguments": ${json}}\n</tool_call>`;
}

/** Makes the toy model call twice at once, then once, then answer in words: each round sees all results before it. */
export const weatherRounds = directive({
  answers: [
    `Let me see.\n${written('get_weather', '{"city": "Bern"}')}\n${written('get_weather', '{"city": "Zürich"}')}`,
    'never: one result of two',
    written('get_weather', '{"city": "Genève"}'),
    'All are sunny.',
  ],
});

/** What it asks for, in order. */
export const weatherCities = ['Bern', 'Zürich', 'Genève'];

export const anyId: unknown = expect.stringMatching(/^call_[a-zA-Z0-9]{24}$/);

/** A call as an answer holds it. */
export function called(name: string, json: string, id = anyId) {
  return { id, type: 'function', function: { name, arguments: json } };
}

/** The whole choice that an answer must hold. */
export function choiceWith(
  { content = null, calls = [] }: { content?: string | null; calls?: object[] },
  { index = 0, ...more }: { index?: number; reasoning?: string; finish_reason?: string } = {},
) {
  const { reasoning, finish_reason: reason = calls.length > 0 ? 'tool_calls' : 'stop' } = more;
  return {
    index,
    message: {
      role: 'assistant',
      content,
      refusal: null,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning, reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    logprobs: null,
    finish_reason: reason,
  };
}

/** The choices of an answer and its usage; both ways of asking give the same shape. */
export async function ask(
  url: string,
  body: object,
): Promise<{ status: number; choices: Choice[]; usage: unknown; chunks: Chunk[] }> {
  const sent = 'stream' in body && body.stream ? { ...body, stream_options: { include_usage: true } } : body;
  const response = await post(`${url}/v1/chat/completions`, { model: 'vllm-toy', max_tokens: 1000, ...sent });
  if (response.status !== 200) throw new Error(response.text);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const { choices, usage } = response.body as unknown as { choices: Choice[]; usage: unknown };
    return { status: response.status, choices, usage, chunks: [] };
  }
  const events = eventsOf(response.text);
  if (events.pop() !== '[DONE]') throw new Error(`The stream does not end with [DONE]: ${response.text.slice(-300)}`);
  const chunks = events as Chunk[];
  return { status: response.status, choices: folded(chunks), usage: chunks.at(-1)?.usage, chunks };
}

/** The sampling parameters that an answer to echo_parameters tells of; the prompt's own markers cut off what follows. */
export function samplingIn(choice: Choice | undefined): Received['sampling_parameters'] {
  const { content, tool_calls: calls } = (choice?.message ?? {}) as {
    content?: string | null;
    tool_calls?: WireCall[];
  };
  const text = content ?? calls?.[0]?.function.arguments ?? '';
  const whole = `${text.slice(0, text.indexOf(', "inputs"'))}}`;
  return (JSON.parse(whole) as Pick<Received, 'sampling_parameters'>).sampling_parameters;
}

/** Puts a stream together as a client does; throws where a client would be confused. */
function folded(chunks: readonly Chunk[]): Choice[] {
  const choices: Choice[] = [];
  for (const { choices: parts } of chunks)
    for (const { index, delta, logprobs, finish_reason: reason } of parts) {
      choices[index] ??= { index, message: {}, logprobs: null, finish_reason: null };
      const choice = choices[index];
      if (choice.finish_reason !== null) throw new Error('Something came after the finish.');
      addDelta(choice.message, delta);
      const content = [...(choice.logprobs?.content ?? []), ...(logprobs?.content ?? [])];
      choices[index] = {
        ...choice,
        logprobs: logprobs ? { content, refusal: null } : choice.logprobs,
        finish_reason: reason,
      };
    }
  // A stream cannot take back the empty text that it begins with.
  for (const { message } of choices)
    if (message['content'] === '' && message['tool_calls'] !== undefined) message['content'] = null;
  return choices;
}

function addDelta(message: Record<string, unknown>, { tool_calls: calls = [], ...delta }: Delta): void {
  for (const [key, value] of Object.entries(delta))
    message[key] = typeof value === 'string' ? `${(message[key] as string | undefined) ?? ''}${value}` : value;
  for (const { index, id, type, function: part } of calls) {
    const all = (message['tool_calls'] ??= []) as { id?: string; type?: string; function: { arguments: string } }[];
    const last = all.at(-1);
    if (index === all.length) all.push({ ...(id && { id }), ...(type && { type }), function: { ...part } });
    else if (last && index === all.length - 1 && id === undefined && part.name === undefined)
      last.function.arguments += part.arguments;
    else throw new Error(`A call is not begun once, or out of turn: ${JSON.stringify({ index, id, part })}`);
  }
}
