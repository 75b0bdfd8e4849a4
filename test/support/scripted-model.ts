import type { EventFold, GenerateEvent, Generation } from '../../src/contracts/events.ts';
import { vllmContract } from '../../src/contracts/vllm.ts';
import type { ApiError } from '../../src/errors.ts';
import type { GenerateContext } from '../../src/generate/generated-response.ts';
import { runInto } from '../../src/generate/run-into.ts';
import { LocalResponse } from '../../src/kserve/local-response.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  ResponseSink,
  RunningInference,
} from '../../src/kserve/server.ts';
import { numberTensor, readText, type Tensor, textTensor } from '../../src/kserve/tensors.ts';
import type { ServedModel } from '../../src/models/served-model.ts';
import type { PromptAssets } from '../../src/prompt/assets.ts';
import { jinjaTemplate } from '../../src/prompt/chat-template.ts';
import { noWatch } from '../../src/request-watch.ts';
import type { Signal } from '../../src/signal.ts';
import { balancerWith } from './balance-fixtures.ts';
import { configOf } from './contract-fixtures.ts';
import { PlayedInference } from './played-inference.ts';

/** What a backend does with one inference: tokens, one response each, then its end. */
export interface Script {
  /** The text of each token; a logprob makes up its logprobs, as vLLM writes them. */
  readonly tokens: readonly (string | { readonly text: string; readonly logprob: number })[];
  /** A finish reason, an end without one, silence until it is cancelled, or a failure; `stop` where it is left out. */
  readonly end?: 'stop' | 'length' | 'nothing' | 'hang' | Error;
  /** Tokens of the prompt; 5 where they are left out. */
  readonly promptTokens?: number;
}

/** An inference that the backend was sent. */
export interface SentInference {
  readonly id: string;
  readonly prompt: string;
  /** The sampling parameters, as the backend is sent them. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly isStreamed: boolean;
  /** The outputs that it asks for. */
  readonly outputs: readonly string[];
  /** Whether it was cancelled before its end. */
  isCancelled: boolean;
}

type ScriptOf = (sent: SentInference, number: number) => Script;

interface ScriptedParts extends Partial<Omit<ServedModel, 'assets' | 'loadedAssets'>> {
  readonly assets?: PromptAssets;
  /** Whether the assets are there before the first request. */
  readonly isLoaded?: boolean;
}

/** Writes each message on a line of its own, and reads `enable_thinking` and `tools`. */
const plainTemplate =
  '{% if tools or enable_thinking %}{% endif %}{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}' +
  '{% if add_generation_prompt %}<assistant>{% endif %}';

/** A chat template of a model, from its text. */
export function templateOf(text: string): NonNullable<PromptAssets['template']> {
  return jinjaTemplate({ source: 'test', templates: { default: text }, specialTokens: {} });
}

export const vllmConfig = configOf(
  `text_input STRING 1
   stream BOOL 1 optional
   sampling_parameters STRING 1 optional
   embedding_request STRING 1 optional
   return_finish_reason BOOL 1 optional
   return_num_input_tokens BOOL 1 optional
   return_num_output_tokens BOOL 1 optional
   return_logprobs BOOL 1 optional`,
  `text_output STRING -1
   finish_reason STRING -1
   num_input_tokens UINT32 1
   num_output_tokens UINT32 -1
   logprobs STRING -1`,
  { backend: 'vllm' },
);

const vllm = vllmContract(vllmConfig);
const plainAssets: PromptAssets = { template: templateOf(plainTemplate), eosTokenIds: [] };

/**
 * A served model on a vLLM backend that plays scripts, one for each inference in its order, the last one again and again. All
 * between the request and the tensors is real: template, contract, balancer.
 */
export function scriptedModel(
  scripts: readonly [Script, ...Script[]] | ScriptOf,
  { assets = plainAssets, isLoaded = true, ...parts }: ScriptedParts = {},
) {
  const sent: SentInference[] = [];
  const scriptOf: ScriptOf =
    typeof scripts === 'function' ? scripts : (_, at) => scripts[Math.min(at, scripts.length - 1)] ?? scripts[0];
  const stream = (request: InferRequest, sink: ResponseSink, { signal }: CallOptions = {}) => {
    const inference = sentBy(request);
    sent.push(inference);
    return play(inference, scriptOf(inference, sent.length - 1), { sink, signal });
  };
  const server = { name: 'scripted:8001', stream } as unknown as InferenceServer;
  let isThere = isLoaded;
  const model: ServedModel = {
    name: 'm',
    root: 'm',
    model: 'm',
    version: '1',
    contract: vllm,
    rows: {},
    group: balancerWith({ retries: 0 }).groupOf('m', [server]),
    created: 0,
    fingerprint: 'fp',
    tokenizerName: '-',
    assets: async () => {
      isThere = true;
      return assets;
    },
    loadedAssets: () => (isThere ? assets : undefined),
    contextLength: () => undefined,
    defaults: {},
    toolCallParser: undefined,
    reasoningParser: undefined,
    imagePlaceholder: undefined,
    mostHeldOfCalls: 10_000,
    postprocessors: undefined,
    adapters: { names: [] } as unknown as ServedModel['adapters'],
    loraTaskId: undefined,
    addsSpecialTokens: true,
    ...parts,
  };
  return { model, server, sent, context: (own: Partial<GenerateContext> = {}) => contextOf(model, own) };
}

function contextOf(model: ServedModel, own: Partial<GenerateContext>): GenerateContext {
  return {
    findModel: () => model,
    watch: noWatch,
    timeout: undefined,
    retries: 0,
    structuredRetries: 2,
    images: { most: 2, limits: { bytes: 1000, pixels: 1000 }, sources: { hosts: [], addresses: [] }, timeout: 1000 },
    ...own,
  };
}

function sentBy({ id, inputs, outputs = [] }: InferRequest): SentInference {
  const input = (name: string): Tensor => inputs.find((tensor) => tensor.name === name) as Tensor;
  return {
    id,
    prompt: readText(input('text_input').data),
    parameters: JSON.parse(readText(input('sampling_parameters').data)) as Record<string, unknown>,
    isStreamed: input('stream').data[0] === 1,
    outputs,
    isCancelled: false,
  };
}

interface Player {
  readonly sink: ResponseSink;
  readonly signal: Signal | undefined;
}

/** The responses of one inference: one for each token, or one in all where they are not streamed. */
function play(
  inference: SentInference,
  { tokens, end = 'stop', promptTokens = 5 }: Script,
  { sink, signal }: Player,
): RunningInference {
  const reason = end === 'stop' || end === 'length' ? end : undefined;
  const groups = inference.isStreamed ? tokens.map((token) => [token]) : reason ? [tokens] : [];
  return new PlayedInference(sink, {
    responses: groups.map((group, at) =>
      responseOf(group, {
        reason: at === groups.length - 1 ? reason : undefined,
        promptTokens,
        expected: inference.outputs,
      }),
    ),
    end: end === 'hang' || end instanceof Error ? end : 'end',
    signal,
    onCancel: () => {
      inference.isCancelled = true;
    },
  });
}

interface ResponseParts {
  readonly reason: string | undefined;
  readonly promptTokens: number;
  /** The outputs that were asked for. */
  readonly expected: readonly string[];
}

function responseOf(tokens: Script['tokens'], { reason, promptTokens, expected }: ResponseParts): LocalResponse {
  const count = (name: string, value: number): Tensor =>
    numberTensor(name, { datatype: 'UINT32', values: [value], shape: [1] });
  const logprobs = tokens.flatMap((token, at) =>
    typeof token === 'string'
      ? []
      : [{ [at]: { logprob: token.logprob, rank: 1, decoded_token: token.text, token_id: at } }],
  );
  return new LocalResponse({
    model: 'm',
    version: '1',
    id: '',
    final: reason !== undefined,
    outputs: [
      textTensor('text_output', [tokens.map((token) => (typeof token === 'string' ? token : token.text)).join('')]),
      textTensor('finish_reason', [reason ?? 'None']),
      count('num_input_tokens', promptTokens),
      count('num_output_tokens', tokens.length),
      ...(logprobs.length > 0 ? [textTensor('logprobs', [JSON.stringify(logprobs)])] : []),
    ].filter(({ name }) => expected.includes(name)),
  });
}

/** Notes events in a list. */
export class EventList implements EventFold {
  events: GenerateEvent[] = [];

  text(...[choice, text, tokens, logprobs]: Parameters<EventFold['text']>): void {
    this.events.push({ type: 'text-delta', choice, text, tokens, logprobs });
  }

  event(event: GenerateEvent): void {
    this.events.push(event);
  }

  /** The events since the last call. */
  take(): GenerateEvent[] {
    return this.events.splice(0);
  }
}

/** All events of a response until its end, or until the error that ended it. */
export async function outcomeOf(
  generation: Generation,
): Promise<{ events: GenerateEvent[]; error?: string; isFinal?: boolean }> {
  const list = new EventList();
  try {
    await runInto(generation, list);
    return { events: list.events };
  } catch (error) {
    const { code, isFinal } = error as ApiError;
    return { events: list.events, error: code, isFinal };
  }
}

/** What a choice comes to, all events together. */
interface FoldedChoice {
  text: string;
  reasoning: string;
  calls: string[];
  finish: string | undefined;
}

/** The choices that events come to. */
export function folded(events: readonly GenerateEvent[]): FoldedChoice[] {
  const choices: FoldedChoice[] = [];
  for (const event of events) {
    if (event.type === 'usage' || event.type === 'prompt-tokens') continue;
    const choice = (choices[event.choice] ??= { text: '', reasoning: '', calls: [], finish: undefined });
    if (event.type === 'text-delta') choice.text += event.text;
    else if (event.type === 'reasoning-delta') choice.reasoning += event.text;
    else if (event.type === 'finish') choice.finish = event.reason;
    else if (event.type === 'tool-call-delta')
      choice.calls[event.index] = (choice.calls[event.index] ?? event.name ?? '') + event.arguments;
  }
  return choices;
}

/** A text in two tokens, cut at every place. */
export function cutEverywhere(text: string): string[][] {
  return Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
}
