import type { ModelConfig, ModelTensor } from '../kserve/messages.ts';
import { conchTokensContract } from './conch-tokens.ts';
import type { ContractKind, GenerationContract } from './contract.ts';
import { llmapiContract } from './llmapi.ts';
import { type TrtllmFacts, trtllmContract } from './trtllm.ts';
import { vllmContract } from './vllm.ts';

/** The contract of a model, or why there is none. */
export type Detection =
  | { readonly contract: GenerationContract }
  | {
      readonly reason: string;
      /** Whether it is a part of another model, which is served instead. */
      readonly isInner?: true;
    };

/** What is not in a model's configuration, but in the settings or in the configuration of other models. */
export interface DetectionFacts {
  /** The contract that the operator has set; `tensorrtllm` is any of that family. */
  readonly forced?: ContractKind | 'tensorrtllm' | undefined;
  /** Left out: what the model's own configuration says. */
  readonly decoupled?: boolean | undefined;
  /** Whether requests are ended with the input `stop`, and not by cancelling their streams. */
  readonly stopsByRequest?: boolean | undefined;
  /** Facts about the engine of a model that takes text. */
  readonly text?: Omit<TrtllmFacts, 'decoupled'>;
  readonly blockSize?: number | undefined;
  /** Whether Conch has the model's tokenizer. */
  readonly hasTokenizer?: boolean | undefined;
}

/** Finds the contract of a model by what its configuration declares. */
export function detectContract(config: ModelConfig, facts: DetectionFacts = {}): Detection {
  const { forced } = facts;
  const candidates = kinds.filter((kind) => forced === undefined || forced === kind || isOfFamily(forced, kind));
  const fitting = candidates.find((kind) => missing(config, kind).length === 0);
  if (fitting) return contractOf(fitting, config, facts);
  const [only] = candidates;
  if (forced === undefined || candidates.length !== 1 || !only)
    return { reason: forced ? `it is set to the contract ${forced}, which does not fit its tensors` : unfit(config) };
  return { reason: `it is set to the contract ${only}, but has no ${missing(config, only).join(', no ')}` };
}

/** Whether a model takes and gives text as TensorRT-LLM's do, in front of an engine or not. */
export function isTextModel(config: ModelConfig): boolean {
  return missing(config, 'trtllm').length === 0;
}

/** Whether a model is an engine of TensorRT-LLM: token ids in, token ids out. */
export function isTokenEngine(config: ModelConfig): boolean {
  return missing(config, 'trtllm-tokens').length === 0;
}

/** Whether a model is Conch's own vLLM model. */
export function isConchModel(config: ModelConfig): boolean {
  return missing(config, 'conch-tokens').length === 0;
}

/** Inputs that say nothing about sampling. Dynamo's completion models have no others, so not even max_tokens. */
const plainInputs: ReadonlySet<string> = new Set(['text_input', 'stream', 'streaming']);

function unfit({ input, output }: ModelConfig): string {
  const isText = isDeclared(input, 'text_input') && isDeclared(output, 'text_output');
  return isText && input.every(({ name }) => plainInputs.has(name))
    ? 'it takes text_input and returns text_output, but has no inputs for sampling parameters like max_tokens'
    : 'no contract fits its tensors';
}

/** In the order in which they are tried. */
const kinds: readonly ContractKind[] = ['vllm', 'llmapi', 'trtllm', 'trtllm-tokens', 'conch-tokens'];

function isOfFamily(family: string, kind: ContractKind): boolean {
  return family === 'tensorrtllm' && kind !== 'vllm' && kind !== 'conch-tokens';
}

function contractOf(kind: ContractKind, config: ModelConfig, facts: DetectionFacts): Detection {
  const {
    decoupled = config.model_transaction_policy?.decoupled ?? false,
    stopsByRequest = false,
    text,
    blockSize,
    hasTokenizer = false,
  } = facts;
  switch (kind) {
    case 'vllm':
      return { contract: vllmContract(config) };
    case 'trtllm':
      return { contract: trtllmContract(config, { ...text, decoupled }) };
    case 'llmapi':
      return {
        contract: llmapiContract(config, {
          decoupled,
          stopsByRequest,
          ...(blockSize === undefined ? {} : { blockSize }),
        }),
      };
    case 'conch-tokens':
      return { contract: conchTokensContract(config, { hasTokenizer }) };
    case 'trtllm-tokens':
      return { reason: 'it takes token ids, which needs a tokenizer' };
  }
}

/** The tensors that a contract requires. */
const required: Readonly<
  Record<ContractKind, { readonly input: readonly string[]; readonly output: readonly string[] }>
> = {
  vllm: { input: ['text_input', 'sampling_parameters'], output: ['text_output'] },
  trtllm: { input: ['text_input', 'max_tokens'], output: ['text_output'] },
  llmapi: { input: ['text_input'], output: ['text_output'] },
  'conch-tokens': { input: ['input_ids', 'sampling_params'], output: ['token_ids'] },
  'trtllm-tokens': { input: ['input_ids', 'input_lengths', 'request_output_len'], output: ['output_ids'] },
};

/** Other models have tensors of these names with images or numbers in them. */
const texts: ReadonlySet<string> = new Set(['text_input', 'sampling_parameters', 'sampling_params', 'text_output']);

/** What a model lacks for a contract, in words. */
function missing(config: ModelConfig, kind: ContractKind): string[] {
  const lacks = (side: 'input' | 'output'): string[] =>
    required[kind][side].filter((name) => !isDeclared(config[side], name)).map((name) => `${side} ${name}`);
  return [
    ...lacks('input'),
    ...lacks('output'),
    ...(kind === 'llmapi' && !config.input.some(isLlmapiInput) ? ['input sampling_param_*'] : []),
    ...(kind === 'trtllm' && config.max_batch_size < 1 ? ['max_batch_size of 1 or more'] : []),
  ];
}

function isDeclared(tensors: readonly ModelTensor[], name: string): boolean {
  const tensor = tensors.find((declared) => declared.name === name);
  return tensor !== undefined && (tensor.data_type === 'TYPE_STRING' || !texts.has(name));
}

function isLlmapiInput({ name }: ModelTensor): boolean {
  return name.startsWith('sampling_param_');
}
