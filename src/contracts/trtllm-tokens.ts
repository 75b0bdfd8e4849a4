import type { ModelConfig } from '../kserve/messages.ts';
import type { InferRequest } from '../kserve/server.ts';
import type { Tensor } from '../kserve/tensors.ts';
import type { GenerateRequest, GenerationContract, ImageSupport, Limits, TokenInputs } from './contract.ts';
import { DeclaredInputs } from './declared-inputs.ts';
import { noTokenLimit } from './extremes.ts';
import { canStop, promptTensors, stopCommand } from './trtllm-engine.ts';
import { explainTrtllm } from './trtllm-errors.ts';
import {
  engineNames,
  inferRequest,
  reusedBlocks,
  reuseInput,
  samplingTensors,
  structureTensors,
} from './trtllm-inputs.ts';
import { adapterFormat, loraTensors } from './trtllm-lora.ts';
import { TrtllmTokensDecoder } from './trtllm-tokens-decoder.ts';
import { engineAbilities, engineSupport, type LogprobSource } from './trtllm-tokens-support.ts';

/** What the engine's folder and the models around it say of an engine. */
export interface EngineFacts {
  readonly limits: Limits;
  readonly addsSpecialTokens: boolean;
  /** How many tokens a block of its cache holds. */
  readonly blockSize?: number;
  /** Whether it was built to give the logits of what it generates. */
  readonly gathersLogits: boolean;
  /** Whether a request is ended with the input `stop`, and not by cancelling its stream. */
  readonly stopsByRequest: boolean;
}

/** Below any logit that a model gives, and above what 16 bits can hold. */
const never = -10_000;

const noImages: ImageSupport = {
  kind: 'refused',
  reason: 'Conch sends only token ids to this engine. For images, use the model in front of it (--contract).',
};

/** The engine of TensorRT-LLM's backend itself, `tensorrt_llm`: token ids in, token ids out. */
export function trtllmTokensContract(config: ModelConfig, facts: EngineFacts): GenerationContract {
  const inputs = new DeclaredInputs(config);
  const outputs = new Set(config.output.map(({ name }) => name));
  const isDecoupled = config.model_transaction_policy?.decoupled ?? false;
  const abilities = engineAbilities(config, facts);
  const reuse = facts.blockSize === undefined ? undefined : reuseInput(inputs, outputs);

  const logprobSource = ({ logprobs }: GenerateRequest): LogprobSource | undefined => {
    if (logprobs === undefined) return undefined;
    return logprobs > 0 ? 'generation_logits' : abilities.logprobs;
  };
  // A stop sequence may come in other tokens than were sent, and the logits of a response are too large for one message.
  const streams = (request: GenerateRequest): boolean =>
    isDecoupled &&
    !request.beams &&
    (request.stream || Boolean(request.sampling.stop?.length) || logprobSource(request) === 'generation_logits');

  const encode = (request: GenerateRequest): InferRequest => {
    const source = logprobSource(request);
    const tensors = [
      ...tokenTensors(inputs, request),
      ...inputs.flag('streaming', streams(request)),
      ...inputs.flag('exclude_input_in_output', true),
      ...samplers(inputs, request, source),
      ...structureTensors(inputs, request),
      ...loraTensors(inputs, request),
      ...(source === 'output_log_probs' ? inputs.flag('return_log_probs', true) : []),
      ...(source === 'generation_logits' ? inputs.flag('return_generation_logits', true) : []),
      ...(reuse ? inputs.flag(reuse, true) : []),
    ];
    const outputNames = ['output_ids', 'sequence_length', ...(source ? [source] : [])];
    return inferRequest(request, tensors, [...outputNames, ...(reuse ? [reusedBlocks] : [])]);
  };

  return {
    kind: 'trtllm-tokens',
    addsSpecialTokens: facts.addsSpecialTokens,
    speaksTokens: true,
    cutsStopTexts: false,
    counts: true,
    repeatsItself: true,
    limits: facts.limits,
    images: noImages,
    support: (parameter) => engineSupport(parameter, inputs, abilities),
    encode,
    decoder: (request) =>
      new TrtllmTokensDecoder(request, tokensOf(request), {
        logprobs: logprobSource(request),
        echoesPrompt: abilities.echoesPrompt && !streams(request),
        context: facts.limits.context,
        blockSize: facts.blockSize,
      }),
    explain: explainTrtllm,
    adapterFormat: adapterFormat(config),
    ...(facts.stopsByRequest && canStop(config)
      ? { stopRequest: ({ model: name, version, id }) => stopCommand({ name, version, config }, id) }
      : {}),
  };
}

/** What a request says in token ids. */
function tokenTensors(inputs: DeclaredInputs, request: GenerateRequest): Tensor[] {
  const { prompt, eosIds, padId, stopWords, badWords, vocabularySize } = tokensOf(request);
  const { maxTokens = noTokenLimit, ignoreEos } = request.sampling;
  return [
    ...promptTensors(inputs, prompt, maxTokens),
    // Left out, the end is the engine's own; with -1, the engine ignores every end token.
    ...inputs.number(['end_id'], ignoreEos ? -1 : eosIds[0]),
    ...inputs.number(['pad_id'], padId ?? eosIds[0]),
    ...wordTensors(inputs, 'stop_words_list', [...stopWords, ...eosIds.slice(1).map((id) => [id])]),
    ...wordTensors(inputs, 'bad_words_list', badWords),
    ...biasTensors(inputs, request, vocabularySize),
  ];
}

function tokensOf({ tokens }: GenerateRequest): TokenInputs {
  if (!tokens) throw new Error('A request to an engine needs its prompt in tokens.');
  return tokens;
}

/** Words as two rows: the ids of all of them, and where each ends. */
function wordTensors(inputs: DeclaredInputs, name: string, words: readonly (readonly number[])[]): Tensor[] {
  const nonEmpty = words.filter((word) => word.length > 0);
  if (nonEmpty.length === 0) return [];
  const ids = nonEmpty.flat();
  let end = 0;
  const ends = nonEmpty.map((word) => (end += word.length));
  const padding = Array.from({ length: ids.length - ends.length }, () => -1);
  return inputs.numbers([name], [...ids, ...ends, ...padding], [2, ids.length]);
}

/** The values that are added to the logits, one for each token of the vocabulary. */
function biasTensors(inputs: DeclaredInputs, { sampling }: GenerateRequest, vocabularySize: number): Tensor[] {
  const { logitBias, allowedTokenIds } = sampling;
  if (!logitBias && !allowedTokenIds) return [];
  const bias = new Float32Array(vocabularySize);
  if (allowedTokenIds) bias.fill(never);
  for (const id of allowedTokenIds ?? []) bias[id] = 0;
  for (const [id, value] of Object.entries(logitBias ?? {})) bias[Number(id)] = (bias[Number(id)] ?? 0) + value;
  return inputs.numbers(['embedding_bias'], bias);
}

/** How tokens are chosen. The engine returns no logprobs for a request without a sampling parameter. */
function samplers(inputs: DeclaredInputs, request: GenerateRequest, source: LogprobSource | undefined): Tensor[] {
  const tensors = samplingTensors(inputs, request, engineNames);
  if (source !== 'output_log_probs' || tensors.some(({ name }) => name !== 'beam_width')) return tensors;
  const neutral = inputs.number(engineNames.temperature, 1);
  return [...tensors, ...(neutral.length > 0 ? neutral : inputs.number(engineNames.top_k, 1))];
}
