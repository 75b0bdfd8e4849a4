import { join } from 'node:path';
import { RepositoryError } from './finding.ts';
import { checkModelName, type FolderPlan, gitkeepFile, type PlannedFile } from './folder-plan.ts';
import { writeModelConfig } from './pbtxt/model-config.ts';
import type { WritableMessage } from './pbtxt/write-text-format.ts';
import * as tensors from './trtllm-tensors.ts';
import type { TrtllmName, TrtllmValues } from './trtllm-values.ts';

/** The folder of these models in TensorRT-LLM's container. */
export const containerModels = '/app/all_models/inflight_batcher_llm';

export interface TrtllmPlan extends FolderPlan {
  /** Python files of NVIDIA that the models need, relative to the repository. */
  readonly foreign: readonly string[];
}

interface TrtllmOptions {
  /** The name of the ensemble, for clients. The four models inside it have the names that NVIDIA's code expects. */
  readonly name: string;
  readonly values: TrtllmValues;
  /** A folder like the container's to copy the Python files from; undefined: they are listed, not written. */
  readonly pythonFrom?: string | undefined;
}

/** The five folders of an inflight-batching repository of TensorRT-LLM. */
export function planTrtllm({ name, values, pythonFrom }: TrtllmOptions): TrtllmPlan {
  checkModelName(name);
  const models = new Map<string, WritableMessage>([
    [name, ensemble(values)],
    ['preprocessing', preprocessing(values)],
    ['tensorrt_llm', engine(values)],
    ['postprocessing', postprocessing(values)],
    ['tensorrt_llm_bls', bls(values)],
  ]);
  if (models.size < 5)
    throw new RepositoryError([`${name} is the name of a model inside the ensemble. Choose another name.`]);
  const foreign = [
    'preprocessing/1/model.py',
    'postprocessing/1/model.py',
    'tensorrt_llm_bls/1/model.py',
    'tensorrt_llm_bls/1/lib/decode.py',
    'tensorrt_llm_bls/1/lib/triton_decoder.py',
    ...(values.triton_backend === 'python' ? ['tensorrt_llm/1/model.py'] : []),
  ];
  const written = [...models].map(
    ([model, config]): PlannedFile => ({
      path: join(model, 'config.pbtxt'),
      content: writeModelConfig({ name: model, ...config }),
    }),
  );
  const copies =
    pythonFrom === undefined ? [] : foreign.map((path): PlannedFile => ({ path, copyOf: join(pythonFrom, path) }));
  const gitkeepFiles = [...models.keys()].map((model) => gitkeepFile(join(model, '1')));
  return {
    models: [...models.keys()],
    files: [...written, ...gitkeepFiles, ...copies],
    foreign: pythonFrom === undefined ? foreign : [],
  };
}

function ensemble(values: TrtllmValues): WritableMessage {
  const passed = {
    inputs: shared(tensors.ensembleInputs, tensors.engineInputs, tensors.engineRoute.inputs),
    outputs: shared(tensors.textOutputs, tensors.engineOutputs, tensors.engineRoute.outputs),
  };
  const step = (model_name: string, input_map: Routes, output_map: Routes) => ({
    model_name,
    model_version: -1,
    input_map,
    output_map,
  });
  return {
    platform: 'ensemble',
    max_batch_size: Number(values.triton_max_batch_size),
    input: tensorList(tensors.ensembleInputs, values),
    output: tensorList(tensors.textOutputs, values),
    ensemble_scheduling: {
      step: [
        step('preprocessing', routes(tensors.preprocessingRoute.inputs), routes(tensors.preprocessingRoute.outputs)),
        step(
          'tensorrt_llm',
          { ...routes(tensors.engineRoute.inputs), ...passed.inputs },
          { ...routes(tensors.engineRoute.outputs), ...passed.outputs },
        ),
        step(
          'postprocessing',
          { TOKENS_BATCH: '_output_ids', SEQUENCE_LENGTH: '_sequence_length' },
          { OUTPUT: 'text_output' },
        ),
      ],
    },
  };
}

function preprocessing(values: TrtllmValues): WritableMessage {
  return {
    backend: 'python',
    ...batching(values),
    input: tensorList(tensors.preprocessingInputs, values),
    output: tensorList(tensors.preprocessingOutputs, values),
    instance_group: onProcessor(values.preprocessing_instance_count),
    parameters: parameters(values, {
      tokenizer_dir: 'tokenizer_dir',
      add_special_tokens: 'add_special_tokens',
      multimodal_model_path: 'multimodal_model_path',
      gpt_model_path: 'engine_dir',
      max_num_images: 'max_num_images',
      hf_model_path: 'hf_model_path',
    }),
  };
}

function engine(values: TrtllmValues): WritableMessage {
  return {
    backend: values.triton_backend,
    ...batching(values),
    model_transaction_policy: { decoupled: values.decoupled_mode === 'true' },
    input: tensorList(tensors.engineInputs, values),
    output: tensorList(tensors.engineOutputs, values),
    instance_group: onProcessor('1'),
    parameters: {
      FORCE_CPU_ONLY_INPUT_TENSORS: { string_value: 'no' },
      executor_worker_path: { string_value: '/opt/tritonserver/backends/tensorrtllm/trtllmExecutorWorker' },
      ...parameters(values, {
        gpt_model_type: 'batching_strategy',
        gpt_model_path: 'engine_dir',
        encoder_model_path: 'encoder_engine_dir',
      }),
      ...parameters(values, Object.fromEntries(engineParameters.map((name) => [name, name]))),
    },
  };
}

function postprocessing(values: TrtllmValues): WritableMessage {
  return {
    backend: 'python',
    max_batch_size: Number(values.triton_max_batch_size),
    dynamic_batching: {},
    input: tensorList(tensors.postprocessingInputs, values),
    output: tensorList(tensors.postprocessingOutputs, values),
    instance_group: onProcessor(values.postprocessing_instance_count),
    parameters: parameters(values, { tokenizer_dir: 'tokenizer_dir', skip_special_tokens: 'skip_special_tokens' }),
  };
}

function bls(values: TrtllmValues): WritableMessage {
  return {
    backend: 'python',
    max_batch_size: Number(values.triton_max_batch_size),
    model_transaction_policy: { decoupled: values.decoupled_mode === 'true' },
    input: tensorList(tensors.blsInputs, values),
    output: tensorList(tensors.textOutputs, values),
    instance_group: onProcessor(values.bls_instance_count),
    parameters: parameters(values, {
      accumulate_tokens: 'accumulate_tokens',
      tensorrt_llm_model_name: 'tensorrt_llm_model_name',
      tensorrt_llm_draft_model_name: 'tensorrt_llm_draft_model_name',
      multimodal_encoders_name: 'multimodal_encoders_name',
    }),
  };
}

/** The parameters of the engine that have the name of their value. */
const engineParameters: readonly TrtllmName[] = [
  'max_beam_width',
  'batch_scheduler_policy',
  'decoding_mode',
  'exclude_input_in_output',
  'normalize_log_probs',
  'tokenizer_dir',
  'guided_decoding_backend',
  'xgrammar_tokenizer_info_path',
  'kv_cache_free_gpu_mem_fraction',
  'max_tokens_in_paged_kv_cache',
  'cross_kv_cache_fraction',
  'kv_cache_host_memory_bytes',
  'kv_cache_onboard_blocks',
  'enable_kv_cache_reuse',
  'max_attention_window_size',
  'sink_token_length',
  'enable_chunked_context',
  'enable_context_fmha_fp32_acc',
  'multi_block_mode',
  'cuda_graph_mode',
  'cuda_graph_cache_size',
  'enable_trt_overlap',
  'gpu_weights_percent',
  'gpu_device_ids',
  'participant_ids',
  'num_nodes',
  'cancellation_check_period_ms',
  'stats_check_period_ms',
  'recv_poll_period_ms',
  'iter_stats_max_iterations',
  'request_stats_max_iterations',
  'lora_cache_optimal_adapter_size',
  'lora_cache_max_adapter_size',
  'lora_cache_gpu_memory_fraction',
  'lora_cache_host_memory_bytes',
  'lora_prefetch_dir',
  'lookahead_window_size',
  'lookahead_ngram_size',
  'lookahead_verification_set_size',
  'medusa_choices',
  'eagle_choices',
  'speculative_decoding_fast_logits',
];

function batching({
  triton_max_batch_size: size,
  max_queue_delay_microseconds: delay,
  max_queue_size: queue,
}: TrtllmValues) {
  return {
    max_batch_size: Number(size),
    dynamic_batching: {
      preferred_batch_size: [Number(size)],
      max_queue_delay_microseconds: Number(delay),
      default_queue_policy: { max_queue_size: Number(queue) },
    },
  };
}

function onProcessor(count: string) {
  return [{ kind: 'KIND_CPU', count: Number(count) }];
}

function parameters(values: TrtllmValues, names: Readonly<Record<string, TrtllmName>>): WritableMessage {
  return Object.fromEntries(Object.entries(names).map(([key, name]) => [key, { string_value: values[name] }]));
}

type Routes = Readonly<Record<string, string>>;

function rows(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' '));
}

function routes(table: string): Routes {
  return Object.fromEntries(rows(table).map(([inner = '', outer = '']) => [inner, outer]));
}

/** The tensors that the ensemble and the engine share under the same name. */
function shared(outer: string, inner: string, renamed: string): Routes {
  const elsewhere = routes(renamed);
  const names = new Set(rows(outer).map(([name = '']) => name));
  const both = rows(inner).flatMap(([name = '']) => (names.has(name) && !Object.hasOwn(elsewhere, name) ? [name] : []));
  return Object.fromEntries(both.map((name) => [name, name]));
}

function tensorList(table: string, values: TrtllmValues): WritableMessage[] {
  return rows(table).map(([name = '', type = '', dims = '', ...marks]) => ({
    name,
    data_type: type.startsWith('{') ? values[type.slice(1, -1) as TrtllmName] : `TYPE_${type}`,
    dims: dims.split(',').map(Number),
    ...(marks.includes('scalar') && { reshape: { shape: [] } }),
    ...(marks.includes('ragged') && { allow_ragged_batch: true }),
    ...(marks.includes('optional') && { optional: true }),
  }));
}
