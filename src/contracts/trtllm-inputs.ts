import { ApiError } from '../errors.ts';
import type { InferRequest } from '../kserve/server.ts';
import type { Tensor } from '../kserve/tensors.ts';
import type { Beams, GenerateRequest, ParameterName, Structure, Support } from './contract.ts';
import { type DeclaredInputs, type InputNames, refused } from './declared-inputs.ts';
import { smallestTopP } from './extremes.ts';

/** The inputs behind the sampling parameters. */
type SamplingName =
  | 'temperature'
  | 'top_k'
  | 'top_p'
  | 'repetition_penalty'
  | 'frequency_penalty'
  | 'presence_penalty'
  | 'seed'
  | 'min_tokens'
  | 'use_beam_search'
  | 'length_penalty';

export type SamplingNames = Readonly<Record<SamplingName, InputNames>>;

/** As the ensemble and the BLS model have them. */
export const textNames: SamplingNames = {
  temperature: ['temperature'],
  top_k: ['top_k'],
  top_p: ['top_p'],
  repetition_penalty: ['repetition_penalty'],
  frequency_penalty: ['frequency_penalty'],
  presence_penalty: ['presence_penalty'],
  seed: ['seed', 'random_seed'],
  min_tokens: ['min_tokens', 'min_length'],
  use_beam_search: ['beam_width'],
  length_penalty: ['length_penalty'],
};

/** As the engine has them. */
export const engineNames: SamplingNames = {
  ...textNames,
  top_k: ['runtime_top_k'],
  top_p: ['runtime_top_p'],
  length_penalty: ['len_penalty'],
};

/** The sampling parameters as tensors. */
export function samplingTensors(
  inputs: DeclaredInputs,
  { sampling, beams }: GenerateRequest,
  names: SamplingNames,
): Tensor[] {
  return [
    ...(beams ? beamTensors(inputs, { sampling, beams }, names) : choiceTensors(inputs, sampling, names)),
    ...inputs.number(names.repetition_penalty, sampling.repetitionPenalty),
    ...inputs.number(names.frequency_penalty, sampling.frequencyPenalty),
    ...inputs.number(names.presence_penalty, sampling.presencePenalty),
    ...inputs.number(names.min_tokens, sampling.minTokens),
    ...inputs.integer(names.seed, sampling.seed),
  ];
}

/** All beams are followed by likelihood, which the temperature shapes; nothing is drawn. */
function beamTensors(
  inputs: DeclaredInputs,
  { sampling, beams }: Pick<GenerateRequest, 'sampling'> & { readonly beams: Beams },
  names: SamplingNames,
): Tensor[] {
  const { temperature } = sampling;
  return [
    ...inputs.number(names.use_beam_search, beams.width),
    ...inputs.number(names.length_penalty, beams.lengthPenalty),
    ...(temperature === undefined || temperature === 0 ? [] : inputs.number(names.temperature, temperature)),
  ];
}

/**
 * How one token is chosen. The engine takes the likeliest unless top_k or top_p say otherwise, whatever the temperature;
 * OpenAI's default is a temperature of 1 over all tokens.
 */
function choiceTensors(
  inputs: DeclaredInputs,
  { temperature, topK, topP }: GenerateRequest['sampling'],
  names: SamplingNames,
): Tensor[] {
  // Releases differ in what they make of a temperature of 0; one candidate is the likeliest token in all of them.
  if (temperature === 0 && inputs.has(names.top_k)) return inputs.number(names.top_k, 1);
  const candidates = topK === undefined ? undefined : Math.max(topK, 0);
  const isOpen = topP === undefined && !candidates;
  return [
    ...inputs.number(names.temperature, temperature),
    ...inputs.number(names.top_k, candidates),
    ...inputs.number(names.top_p, isOpen ? 1 : topP === undefined ? topP : Math.max(topP, smallestTopP)),
  ];
}

export function isSamplingName(parameter: ParameterName): parameter is SamplingName {
  return Object.hasOwn(textNames, parameter);
}

const guideInputs = ['guided_decoding_guide_type', 'guided_decoding_guide'] as const;

export function structureSupport(inputs: DeclaredInputs): Support {
  if (guideInputs.every((name) => inputs.has([name]))) return { kind: 'supported' };
  return refused('This model does not support it; TensorRT-LLM 0.19 and later do.');
}

/** The structure that the response must have, as the engine's grammar compiler takes it. */
export function structureTensors(inputs: DeclaredInputs, { structure, beams }: GenerateRequest): Tensor[] {
  if (!structure) return [];
  if (beams)
    throw new ApiError('invalid_request', 'structured_outputs: TensorRT-LLM does not support it with beam search.', {
      param: 'structured_outputs',
    });
  const [typeInput, guideInput] = guideInputs;
  const { type, guide } = guideOf(structure);
  return [...inputs.texts(typeInput, [type]), ...(guide === undefined ? [] : inputs.texts(guideInput, [guide]))];
}

function guideOf(structure: Structure): { readonly type: string; readonly guide?: string } {
  if ('json' in structure) return { type: 'json_schema', guide: JSON.stringify(structure.json) };
  if ('json_object' in structure) return { type: 'json' };
  if ('regex' in structure) return { type: 'regex', guide: structure.regex };
  if ('grammar' in structure) return { type: 'ebnf_grammar', guide: structure.grammar };
  if ('structural_tag' in structure) return { type: 'structural_tag', guide: JSON.stringify(structure.structural_tag) };
  return { type: 'regex', guide: `(${structure.choice.map(escapeRegex).join('|')})` };
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The output that says how many blocks of the cache were used again. */
export const reusedBlocks = 'kv_cache_reused_blocks';

/** The input that requests it, where there is one: it was renamed in 0.19. */
export function reuseInput(inputs: DeclaredInputs, outputs: ReadonlySet<string>): string | undefined {
  if (!outputs.has(reusedBlocks)) return undefined;
  return ['return_perf_metrics', 'return_kv_cache_reuse_stats'].find((name) => inputs.has([name]));
}

/** The request around the tensors. */
export function inferRequest(
  { model, version, id }: Pick<GenerateRequest, 'model' | 'version' | 'id'>,
  inputs: readonly Tensor[],
  outputs: readonly string[],
): InferRequest {
  // BLS models, and ensembles at times, end with a separate empty response, which Triton sends only when asked.
  return { model, version, id, parameters: { triton_enable_empty_final_response: true }, inputs, outputs };
}
