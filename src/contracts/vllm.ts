import { ApiError } from '../errors.ts';
import { objectText } from '../json-text.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferRequest } from '../kserve/server.ts';
import { boolTensor, type Tensor, textTensor } from '../kserve/tensors.ts';
import type { GenerateRequest, GenerationContract, ImageSupport, ParameterName, Support } from './contract.ts';
import { onlyOnLlmapi } from './declared-inputs.ts';
import { engineParameterSupport, isEngineParameter } from './engine-parameters.ts';
import { noTokenLimit } from './extremes.ts';
import { checkBadWords } from './vllm-bad-words.ts';
import { VllmDecoder } from './vllm-decoder.ts';
import { explainVllm, namedAdapters } from './vllm-errors.ts';
import { guideWriter } from './vllm-guide.ts';
import { declaredLimits } from './vllm-limits.ts';
import { ResponseTokens, type VllmReturns, vllmReturns } from './vllm-returns.ts';
import { vllmSampling } from './vllm-sampling.ts';

/**
 * Models of Triton's vLLM backend, of every release since 24.04, and of the embedded engine, which has the same tensors.
 * A model is sent only the inputs that it declares.
 */
export function vllmContract(config: ModelConfig): GenerationContract {
  const inputs = new Set(config.input.map((input) => input.name));
  const outputs = new Set(config.output.map((output) => output.name));
  const counts = inputs.has('return_num_output_tokens') && outputs.has('num_output_tokens');
  const tellsReason = inputs.has('return_finish_reason') && outputs.has('finish_reason');
  const canReturnLogprobs = inputs.has('return_logprobs') && outputs.has('logprobs');

  const structureKey = structureKeyOf(inputs);
  // Releases with the newer key have libraries that support a rule which begins with itself.
  const grammars = { allowsLeftRecursion: structureKey === 'structured_outputs' };
  // The embedded engine reads grammars itself and takes any words.
  const isEmbedded = config.backend === 'llamacpp';
  const responseTokens = new ResponseTokens();
  // In this process an output costs next to nothing. Without a finish reason, the count is what tells how a response ended.
  const countsOnDemand = counts && tellsReason && !isEmbedded;
  const returnsFor = vllmReturns(config, countsOnDemand ? responseTokens : undefined);

  return {
    kind: 'vllm',
    addsSpecialTokens: true,
    speaksTokens: false,
    cutsStopTexts: true,
    counts,
    countsOnDemand,
    namesAdapters: true,
    guidesMayEndEngine: !isEmbedded,
    limits: declaredLimits(config),
    images: imageSupport(config),
    support: (parameter) =>
      support(parameter, {
        canReturnLogprobs,
        takesLogitBias: isEmbedded,
        takesStructure: structureKey !== undefined,
      }),
    checkSampling: isEmbedded ? undefined : checkBadWords,
    guide: structureKey === undefined || isEmbedded ? undefined : guideWriter(grammars),
    // The embedded engine takes 32 bits of a seed.
    encode: encoder({ counts, returnsFor, structureKey, seedBits: isEmbedded ? 32 : 64 }),
    decoder: (request) => new VllmDecoder(request, { tellsReason, responseTokens }),
    explain: explainVllm,
    namedAdapters,
  };
}

/** What the requests of a model depend on. */
interface Encoding {
  readonly counts: boolean;
  readonly returnsFor: (request: GenerateRequest) => VllmReturns;
  readonly structureKey: ReturnType<typeof structureKeyOf>;
  readonly seedBits: 32 | 64;
}

function encoder({ counts, returnsFor, structureKey, seedBits }: Encoding): (request: GenerateRequest) => InferRequest {
  return (request) => {
    const { model, version, id, prompt, images } = request;
    const returns = returnsFor(request);
    if (request.loraTaskId !== undefined)
      throw new ApiError('model_not_found', 'This model takes no LoRA adapters by number.', { param: 'model' });
    const files = images?.map(({ bytes }) => bytes.toString('base64'));
    const tensors: Tensor[] = [
      textTensor('text_input', [prompt]),
      ...(files ? [textTensor('image', files)] : []),
      // Without counts each streamed response is one token, which is how they are counted then.
      boolTensor('stream', request.stream || !counts),
      boolTensor('exclude_input_in_output', true),
      textTensor('sampling_parameters', [objectText(shortSeed(samplingParameters(request, structureKey), seedBits))]),
      ...returns.inputs,
    ];
    return {
      model,
      version,
      id,
      // Releases up to 24.01 end with a separate empty response, which Triton sends only when asked.
      parameters: { triton_enable_empty_final_response: true },
      inputs: tensors,
      outputs: returns.outputs,
    };
  };
}

/** Every model of a release that has the tensor declares it; a model without image support rejects the request. */
function imageSupport({ backend, input }: ModelConfig): ImageSupport {
  if (backend === 'llamacpp') return { kind: 'refused', reason: 'The embedded engine accepts only text.' };
  if (input.some(({ name }) => name === 'image')) return { kind: 'taken' };
  return { kind: 'refused', reason: "This release of Triton's vLLM backend takes no images; 24.12 and later do." };
}

/** What not every release can do. */
type Ability = 'canReturnLogprobs' | 'takesLogitBias' | 'takesStructure';

function support(
  parameter: ParameterName,
  { canReturnLogprobs, takesLogitBias, takesStructure }: Record<Ability, boolean>,
): Support {
  if (parameter === 'logit_bias' && !takesLogitBias)
    return {
      kind: 'refused',
      reason:
        "Triton's vLLM backend cannot take logit_bias: its keys arrive as strings, and the engine fails on them. " +
        'Use allowed_token_ids or bad_words.',
    };
  if (isEngineParameter(parameter)) return engineParameterSupport(parameter, { speaksTokens: false });
  if (parameter === 'logits_post_processor_name') return onlyOnLlmapi;
  if (parameter === 'use_beam_search' || parameter === 'length_penalty')
    return { kind: 'refused', reason: 'This backend does not support beam search.' };
  if (parameter === 'structured_outputs' && !takesStructure)
    return {
      kind: 'refused',
      reason: "This release of Triton's vLLM backend does not support it; 25.02 and later do.",
    };
  if ((parameter === 'logprobs' || parameter === 'top_logprobs') && !canReturnLogprobs)
    return {
      kind: 'refused',
      reason: "This release of Triton's vLLM backend returns no logprobs; 24.12 and later do.",
    };
  return { kind: 'supported' };
}

function samplingParameters(request: GenerateRequest, structureKey: string | undefined): Record<string, unknown> {
  const { sampling, logprobs, structure } = request;
  const parameters: Record<string, unknown> = {
    max_tokens: sampling.maxTokens ?? noTokenLimit,
    ...vllmSampling(sampling),
  };
  if (logprobs !== undefined) parameters['logprobs'] = logprobs;
  if (request.loraName !== undefined) parameters['lora_name'] = request.loraName;
  // The backend wants it as a text inside the text.
  if (structure && structureKey) parameters[structureKey] = JSON.stringify(structure);
  return parameters;
}

/** The same parameters; a seed that is a bigint is cut to `bits` bits. */
function shortSeed(parameters: Record<string, unknown>, bits: number): Record<string, unknown> {
  const { seed } = parameters;
  return typeof seed === 'bigint' && bits < 64
    ? { ...parameters, seed: Number(BigInt.asUintN(bits, seed)) }
    : parameters;
}

/** The key was renamed in 25.11, together with the arrival of embeddings; before 24.12 there was none. */
function structureKeyOf(inputs: ReadonlySet<string>): 'structured_outputs' | 'guided_decoding' | undefined {
  if (inputs.has('embedding_request')) return 'structured_outputs';
  return inputs.has('return_finish_reason') ? 'guided_decoding' : undefined;
}
