import { ApiError } from '../errors.ts';
import { objectText } from '../json-text.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferRequest } from '../kserve/server.ts';
import { boolTensor, bytesTensor, numberTensor, type Tensor, textTensor } from '../kserve/tensors.ts';
import { ConchTokensDecoder } from './conch-tokens-decoder.ts';
import { explainConchTokens, namedConchAdapters } from './conch-tokens-errors.ts';
import {
  type GenerateRequest,
  type GenerationContract,
  idParameterNames,
  type ParameterName,
  type Sampling,
  type Structure,
  type StructureOptions,
  type Support,
} from './contract.ts';
import { onlyOnLlmapi, refused } from './declared-inputs.ts';
import { checkBadWords } from './vllm-bad-words.ts';
import { guideWriter } from './vllm-guide.ts';
import { declaredLimits } from './vllm-limits.ts';
import { vllmSampling } from './vllm-sampling.ts';

interface ConchTokensFacts {
  /** Whether Conch has the model's tokenizer: then prompts and responses are token ids, else text. */
  readonly hasTokenizer: boolean;
}

/** Conch's own vLLM model for Triton, python/conch_vllm; docs/conch-tokens.md defines its tensors. */
export function conchTokensContract(config: ModelConfig, { hasTokenizer }: ConchTokensFacts): GenerationContract {
  const write = guideWriter({ allowsLeftRecursion: true });
  return {
    kind: 'conch-tokens',
    addsSpecialTokens: true,
    speaksTokens: hasTokenizer,
    // With token ids, the engine ends a response at a stop sequence, and Conch cuts the sequence off.
    cutsStopTexts: !hasTokenizer,
    counts: true,
    namesAdapters: true,
    takesAdapterPaths: true,
    guidesMayEndEngine: true,
    limits: declaredLimits(config),
    images: { kind: 'taken' },
    support: (parameter) => support(parameter, hasTokenizer),
    checkSampling: checkBadWords,
    guide: (structure) => ('structural_tag' in structure ? { structure, isExact: true } : write(structure)),
    encode: (request) => encode(request, hasTokenizer),
    decoder: (request) => new ConchTokensDecoder(request, { speaksTokens: hasTokenizer }),
    explain: explainConchTokens,
    namedAdapters: namedConchAdapters,
    ...(config.input.some(({ name }) => name === 'cancel') ? { stopRequest } : {}),
  };
}

/** The model finds a disconnected client only by looking at each of its requests in turn; this ends one at once. */
function stopRequest({ model, version, id }: GenerateRequest): InferRequest {
  const inputs = [textTensor('sampling_params', ['{}']), boolTensor('cancel', true)];
  return { model, version, id, inputs, outputs: ['finish_reason'] };
}

const needsTokenizer = "It needs token ids. Set the model's tokenizer with --tokenizer.";

/** The parameters that need the texts of tokens. */
const namedTokens: ReadonlySet<ParameterName> = new Set([
  'logprobs',
  'top_logprobs',
  'prompt_logprobs',
  'logprob_token_ids',
  ...idParameterNames,
]);

/** What Conch does itself where it has token ids. */
const emulated: ReadonlySet<ParameterName> = new Set([
  'truncate_prompt_tokens',
  'include_stop_str_in_output',
  'skip_special_tokens',
  'spaces_between_special_tokens',
]);

function support(parameter: ParameterName, hasTokenizer: boolean): Support {
  if (parameter === 'logits_post_processor_name') return onlyOnLlmapi;
  if (namedTokens.has(parameter) && !hasTokenizer) return refused(needsTokenizer);
  return { kind: hasTokenizer && emulated.has(parameter) ? 'emulated' : 'supported' };
}

function encode(request: GenerateRequest, speaksTokens: boolean): InferRequest {
  const { model, version, id, images, sampling } = request;
  if (request.loraTaskId !== undefined)
    throw new ApiError('model_not_found', 'This model takes no LoRA adapters by number.', { param: 'model' });
  const { priority, cacheSalt, mediaOptions } = sampling;
  const inputs: Tensor[] = [
    promptTensor(request),
    textTensor('sampling_params', [objectText(samplingParams(request))]),
    ...(request.stream && !request.beams ? [] : [boolTensor('stream', false)]),
    ...(images
      ? [
          bytesTensor(
            'image',
            images.map(({ bytes }) => bytes),
          ),
        ]
      : []),
    ...(mediaOptions ? [textTensor('mm_processor_kwargs', [objectText(mediaOptions)])] : []),
    ...(priority ? [numberTensor('priority', { datatype: 'INT32', values: [priority], shape: [1] })] : []),
    ...(cacheSalt === undefined ? [] : [textTensor('cache_salt', [cacheSalt])]),
    ...(request.loraName === undefined ? [] : [textTensor('lora_name', [request.loraName])]),
    ...(request.adapterPath ? [textTensor('lora_path', [request.adapterPath.path])] : []),
  ];
  return { model, version, id, inputs, outputs: outputsFor(request, speaksTokens) };
}

function promptTensor({ prompt, tokens }: GenerateRequest): Tensor {
  if (!tokens) return textTensor('prompt', [prompt]);
  const { prompt: ids } = tokens;
  // Int32Array has the byte order of the machine, which is little-endian wherever Node.js runs.
  const data = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength);
  return { name: 'input_ids', datatype: 'INT32', shape: [ids.length], data };
}

/** The outputs that a request needs: each of them costs time in every response that has it. */
function outputsFor({ sampling, beams, logprobs, promptLogprobs }: GenerateRequest, speaksTokens: boolean): string[] {
  return [
    ...(beams ? ['index'] : []),
    'token_ids',
    'finish_reason',
    'usage',
    'times',
    ...(speaksTokens ? [] : ['text']),
    ...(sampling.stop?.length && !beams ? ['stop_string'] : []),
    ...(logprobs === undefined ? [] : ['logprobs', 'logprob_ids']),
    ...(promptLogprobs === undefined ? [] : ['prompt_logprobs', 'prompt_logprob_ids', 'prompt_logprob_ranks']),
  ];
}

function samplingParams(request: GenerateRequest): Record<string, unknown> {
  const { logprobs, promptLogprobs, structure, structureOptions, beams } = request;
  const sampling = beams ? beamSampling(request.sampling) : request.sampling;
  const { logprobTokenIds, thinkingTokenBudget, repetitionDetection, engineExtras } = sampling;
  return {
    max_tokens: sampling.maxTokens ?? null,
    ...vllmSampling(sampling),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(promptLogprobs === undefined ? {} : { prompt_logprobs: promptLogprobs }),
    ...(logprobTokenIds ? { logprob_token_ids: logprobTokenIds } : {}),
    ...(thinkingTokenBudget === undefined ? {} : { thinking_token_budget: thinkingTokenBudget }),
    ...(repetitionDetection ? { repetition_detection: repetitionDetection } : {}),
    ...(structure ? { structured_outputs: guide(structure, structureOptions) } : {}),
    ...(engineExtras ? { extra_args: engineExtras } : {}),
    ...(beams ? { beam_width: beams.width, n: beams.completions, length_penalty: beams.lengthPenalty ?? 1 } : {}),
  };
}

/** A beam search does not sample, and Conch cuts its completions at stop sequences. */
const unusedByBeams: ReadonlySet<string> = new Set<keyof Sampling>(['stop', 'topP', 'topK', 'minP', 'seed']);

function beamSampling(sampling: Sampling): Sampling {
  return Object.fromEntries(Object.entries(sampling).filter(([key]) => !unusedByBeams.has(key)));
}

function guide(structure: Structure, options: StructureOptions = {}): Record<string, unknown> {
  const { whitespacePattern, disableAnyWhitespace, disableAdditionalProperties } = options;
  return {
    ...structure,
    ...(whitespacePattern === undefined ? {} : { whitespace_pattern: whitespacePattern }),
    ...(disableAnyWhitespace ? { disable_any_whitespace: true } : {}),
    ...(disableAdditionalProperties ? { disable_additional_properties: true } : {}),
  };
}
