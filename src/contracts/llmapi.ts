import { ApiError } from '../errors.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferRequest } from '../kserve/server.ts';
import type { Tensor } from '../kserve/tensors.ts';
import type { GenerateRequest, GenerationContract, ParameterName, Support } from './contract.ts';
import { DeclaredInputs, refused } from './declared-inputs.ts';
import { engineParameterSupport, isEngineParameter } from './engine-parameters.ts';
import { noTokenLimit } from './extremes.ts';
import { LlmapiDecoder } from './llmapi-decoder.ts';
import { reportOutputs } from './llmapi-metrics.ts';
import { explainTrtllm } from './trtllm-errors.ts';
import { llmapiImages, llmapiImageTensors } from './trtllm-images.ts';
import { inferRequest, isSamplingName, type SamplingNames, samplingTensors } from './trtllm-inputs.ts';

interface LlmapiFacts {
  readonly decoupled: boolean;
  /** Whether a request is ended with the input `stop`, and not by cancelling its stream. */
  readonly stopsByRequest: boolean;
  /** How many tokens a block of the engine's cache holds. */
  readonly blockSize?: number;
}

/** As the model on the LLM API has them; an empty list means that no release has an input for it. */
const names: SamplingNames = {
  temperature: ['sampling_param_temperature'],
  top_k: ['sampling_param_top_k'],
  top_p: ['sampling_param_top_p'],
  frequency_penalty: ['sampling_param_frequency_penalty'],
  presence_penalty: ['sampling_param_presence_penalty'],
  seed: ['sampling_param_seed'],
  repetition_penalty: [],
  min_tokens: [],
  use_beam_search: [],
  length_penalty: [],
};

/** The model of TensorRT-LLM's backend that uses its LLM API: text in, all text so far out. */
export function llmapiContract(
  config: ModelConfig,
  { decoupled, stopsByRequest, blockSize }: LlmapiFacts,
): GenerationContract {
  const inputs = new DeclaredInputs(config);
  const outputs = new Set(config.output.map(({ name }) => name));
  const tellsReason = inputs.has(['return_finish_reason']) && outputs.has('finish_reason');
  const canReport = inputs.has(['sampling_param_return_perf_metrics']);
  const tellsReuse = canReport && blockSize !== undefined && outputs.has('kv_cache_reused_block');
  const reports = canReport ? reportOutputs(outputs) : [];
  const metricOutputs = [...(tellsReuse ? ['kv_cache_reused_block'] : []), ...reports];
  // Conch looks for stop sequences itself, which ends a response early only if it is streamed.
  const streams = ({ stream, sampling }: GenerateRequest): boolean =>
    decoupled && inputs.has(['streaming']) && (stream || Boolean(sampling.stop?.length));

  const encode = (request: GenerateRequest): InferRequest => {
    if (request.loraTaskId !== undefined)
      throw new ApiError('model_not_found', 'This model takes no LoRA adapters by number.', { param: 'model' });
    return inferRequest(
      request,
      [
        ...inputs.texts('text_input', [request.prompt]),
        ...llmapiImageTensors(inputs, request),
        ...inputs.flag('streaming', streams(request)),
        // Left out, it would be 32.
        ...inputs.number(['sampling_param_max_tokens'], request.sampling.maxTokens ?? noTokenLimit),
        ...inputs.flag('sampling_param_exclude_input_from_output', true),
        ...samplingTensors(inputs, request, names),
        ...processorTensors(inputs, request),
        ...adapterTensors(inputs, request),
        ...(tellsReason ? inputs.flag('return_finish_reason', true) : []),
        ...(metricOutputs.length > 0 ? inputs.flag('sampling_param_return_perf_metrics', true) : []),
      ],
      ['text_output', ...(tellsReason ? ['finish_reason'] : []), ...metricOutputs],
    );
  };

  const stopRequest = (request: GenerateRequest): InferRequest =>
    inferRequest(request, [...inputs.texts('text_input', ['']), ...inputs.flag('stop', true)], ['text_output']);

  return {
    kind: 'llmapi',
    addsSpecialTokens: true,
    speaksTokens: false,
    cutsStopTexts: false,
    counts: false,
    guessesCounts: true,
    repeatsItself: true,
    takesAdapterPaths: adapterInputs.every((name) => inputs.has([name])),
    limits: {},
    images: llmapiImages(config),
    support: (parameter) => support(parameter, inputs),
    encode,
    decoder: () => new LlmapiDecoder({ blockSize: tellsReuse ? blockSize : undefined, hasReport: reports.length > 0 }),
    explain: explainTrtllm,
    ...(stopsByRequest && inputs.has(['stop']) ? { stopRequest } : {}),
  };
}

/** Releases up to 1.2 have none. */
const processorInput = 'sampling_param_logits_post_processor_name';

function processorTensors(inputs: DeclaredInputs, { sampling }: GenerateRequest): Tensor[] {
  const { logitsPostProcessorName: name } = sampling;
  return name === undefined ? [] : inputs.texts(processorInput, [name]);
}

/** The model takes all of them or none. Releases before 1.3 have none. */
const adapterInputs = ['lora_id', 'lora_name', 'lora_path'] as const;

function adapterTensors(inputs: DeclaredInputs, { loraName, adapterPath }: GenerateRequest): Tensor[] {
  if (loraName === undefined || !adapterPath) return [];
  const { id, path, source } = adapterPath;
  const [idInput, nameInput, pathInput] = adapterInputs;
  return [
    ...inputs.number([idInput], id),
    ...inputs.texts(nameInput, [loraName]),
    ...inputs.texts(pathInput, [path]),
    ...(source === undefined ? [] : inputs.texts('lora_ckpt_source', [source])),
  ];
}

function support(parameter: ParameterName, inputs: DeclaredInputs): Support {
  // Its own stop sequences reach the tokenizer as bytes, which fails: Conch cuts them.
  if (parameter === 'stop' || parameter === 'include_stop_str_in_output') return { kind: 'emulated' };
  if (parameter === 'logits_post_processor_name') return inputs.support([processorInput]);
  if (isSamplingName(parameter) && names[parameter].length > 0) return inputs.support(names[parameter]);
  if (isEngineParameter(parameter)) return engineParameterSupport(parameter, { speaksTokens: false });
  return refused("The model on TensorRT-LLM's LLM API has no input for it.");
}
