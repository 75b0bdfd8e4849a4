import type { ModelConfig } from '../kserve/messages.ts';
import type { InferRequest } from '../kserve/server.ts';
import type { Tensor } from '../kserve/tensors.ts';
import type { GenerateRequest, GenerationContract, Limits, ParameterName, Support } from './contract.ts';
import { DeclaredInputs, onlyOnLlmapi, refused } from './declared-inputs.ts';
import { engineParameterSupport, isEngineParameter } from './engine-parameters.ts';
import { noTokenLimit } from './extremes.ts';
import { isYes, parameterOf } from './parameters.ts';
import { TrtllmDecoder } from './trtllm-decoder.ts';
import { canStop, type StoppableEngine, stopCommand } from './trtllm-engine.ts';
import { explainTrtllm } from './trtllm-errors.ts';
import { trtllmImages, trtllmImageTensors } from './trtllm-images.ts';
import {
  inferRequest,
  isSamplingName,
  reusedBlocks,
  reuseInput,
  samplingTensors,
  structureSupport,
  structureTensors,
  textNames,
} from './trtllm-inputs.ts';
import { adapterFormat, loraTensors } from './trtllm-lora.ts';

/** What the models around this one say of it. */
export interface TrtllmFacts {
  /** Whether it may send several responses to a request. */
  readonly decoupled: boolean;
  /** Whether preprocessing gives prompts special tokens; left out: it does, as by default. */
  readonly addsSpecialTokens?: boolean;
  readonly limits?: Limits;
  /** How many tokens a block of the engine's cache holds. */
  readonly blockSize?: number;
  /**
   * The engine that knows its requests by the same ids, as that of an ensemble does. Conch sends it a stop request to end
   * one: Triton passes a cancel through an ensemble late or never.
   */
  readonly engine?: StoppableEngine;
}

/** The input that leaves the prompt out of the response, in both spellings. */
const excludeNames = ['exclude_input_in_output', 'exclude_input_from_output'];

const counters = [
  ['return_num_input_tokens', 'num_input_tokens'],
  ['return_num_output_tokens', 'num_output_tokens'],
] as const;
const countOutputs = counters.map(([, output]) => output);

/**
 * Models of TensorRT-LLM's backend that take and give text: `ensemble`, `tensorrt_llm_bls`, and what an operator called
 * them, of every release since 0.5. What a model declares is what it is sent.
 */
export function trtllmContract(
  config: ModelConfig,
  { decoupled, addsSpecialTokens = true, limits = {}, blockSize, engine }: TrtllmFacts,
): GenerationContract {
  const inputs = new DeclaredInputs(config);
  const outputs = new Set(config.output.map(({ name }) => name));
  const counts = counters.every(([input, output]) => inputs.has([input]) && outputs.has(output));
  const exclude = excludeNames.find((name) => inputs.has([name]));
  const canExclude = exclude !== undefined;
  const reuse = blockSize === undefined ? undefined : reuseInput(inputs, outputs);
  // A BLS model with this parameter sends all text so far with every response.
  const accumulates = decoupled && (isYes(parameterOf(config, 'accumulate_tokens')) ?? false);
  const canStream = decoupled && inputs.has(['stream']);
  // The prompt is never repeated in a stream, so a model that cannot leave it out is made to stream.
  // Without counts each streamed response is one token, which is how they are counted then.
  const streams = ({ stream, beams }: GenerateRequest): boolean =>
    canStream && !beams && (stream || !canExclude || !counts);

  const outputNames = ['text_output', ...(counts ? countOutputs : []), ...(reuse ? [reusedBlocks] : [])];
  const encode = (request: GenerateRequest): InferRequest => {
    const flags = { exclude, streams: streams(request), counts, reuse };
    return inferRequest(request, requestTensors(inputs, request, flags), outputNames);
  };

  return {
    kind: 'trtllm',
    addsSpecialTokens,
    speaksTokens: false,
    cutsStopTexts: false,
    counts,
    guessesCounts: !counts,
    repeatsItself: true,
    limits,
    images: trtllmImages(config),
    support: (parameter) => support(parameter, inputs, accumulates),
    encode,
    decoder: (request) =>
      new TrtllmDecoder(request, {
        accumulates,
        echoesPrompt: !canExclude && !streams(request),
        isSingle: !decoupled,
        blockSize: reuse ? blockSize : undefined,
      }),
    explain: explainTrtllm,
    adapterFormat: adapterFormat(config),
    ...(engine && canStop(engine.config) ? { stopRequest: ({ id }) => stopCommand(engine, id) } : {}),
  };
}

/** What a request sets in addition to the prompt and the sampling parameters. */
interface RequestFlags {
  /** The input by which the prompt is left out of the text. */
  readonly exclude: string | undefined;
  readonly streams: boolean;
  readonly counts: boolean;
  /** The input that requests how much of the prompt was in the cache. */
  readonly reuse: string | undefined;
}

function requestTensors(
  inputs: DeclaredInputs,
  request: GenerateRequest,
  { exclude, streams, counts, reuse }: RequestFlags,
): Tensor[] {
  return [
    ...inputs.texts('text_input', [request.prompt]),
    ...trtllmImageTensors(inputs, request),
    ...inputs.number(['max_tokens'], request.sampling.maxTokens ?? noTokenLimit),
    ...(exclude ? inputs.flag(exclude, true) : []),
    ...inputs.flag('stream', streams),
    ...samplingTensors(inputs, request, textNames),
    ...wordTensors(inputs, request),
    ...structureTensors(inputs, request),
    ...loraTensors(inputs, request),
    ...(counts ? counters.flatMap(([input]) => inputs.flag(input, true)) : []),
    ...(reuse ? inputs.flag(reuse, true) : []),
  ];
}

/** Words as texts, which preprocessing turns into tokens; the oldest models insist on both, and skip an empty word. */
function wordTensors(inputs: DeclaredInputs, { sampling }: GenerateRequest): Tensor[] {
  const { stop = [], badWords = [], ignoreEos } = sampling;
  const words = (name: string, texts: readonly string[]): Tensor[] => {
    if (texts.length > 0) return inputs.texts(name, texts);
    return inputs.requires(name) ? inputs.texts(name, ['']) : [];
  };
  return [
    ...words('stop_words', stop),
    ...words('bad_words', badWords),
    ...(ignoreEos ? inputs.number(['end_id'], -1) : []),
  ];
}

const needsIds =
  'but this TensorRT-LLM model takes and returns only text. ' +
  'Set a tokenizer for it, so that Conch uses its engine directly (contract trtllm-tokens).';

function support(parameter: ParameterName, inputs: DeclaredInputs, accumulates: boolean): Support {
  if (parameter === 'use_beam_search' && accumulates)
    return refused('This model supports only one beam, because its parameter accumulate_tokens is true.');
  if (isSamplingName(parameter)) return inputs.support(textNames[parameter]);
  if (isEngineParameter(parameter)) return engineParameterSupport(parameter, { speaksTokens: false });
  switch (parameter) {
    case 'bad_words':
      return inputs.support(['bad_words']);
    case 'ignore_eos':
      return inputs.support(['end_id']);
    case 'structured_outputs':
      return structureSupport(inputs);
    case 'stop':
      // The word that was met stays in the text, and other tokens may spell it: it is cut here.
      return { kind: inputs.has(['stop_words']) ? 'supported' : 'emulated' };
    case 'include_stop_str_in_output':
      return { kind: 'emulated' };
    case 'logprobs':
    case 'top_logprobs':
      return refused(`Logprobs need token ids, ${needsIds}`);
    case 'logit_bias':
    case 'allowed_token_ids':
    case 'stop_token_ids':
      return refused(`It contains token ids, ${needsIds}`);
    case 'skip_special_tokens':
    case 'spaces_between_special_tokens':
      return refused(
        "Not supported per request: the model's postprocessing decides it (its parameter skip_special_tokens).",
      );
    case 'logits_post_processor_name':
      return onlyOnLlmapi;
    case 'min_p':
      return refused('TensorRT-LLM has no input for it.');
  }
}
