import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { text } from './value-types.ts';

const port = z.number().int().min(0).max(65535);

/** Settings of what runs on this machine: a tritonserver that Conch starts, the embedded engine, the KServe frontends. */
export const localSettings = {
  ...inGroup('repository', {
    modelRepository: setting(
      z.array(text).default([]),
      'Serve this Triton model repository. Models with backend: "llamacpp" run in this process. The others run in a tritonserver that Conch starts.',
      { path: 'folder', isCommon: true },
    ),
    tritonserver: setting(text.optional(), 'Start this tritonserver.', {
      path: 'file',
      defaultText: "the one on PATH or in Triton's containers",
    }),
    modelControlMode: setting(
      z.enum(['none', 'explicit']).default('none'),
      'Set which models are loaded at the start. none loads all, explicit loads only those of --load-model.',
      { placeholder: 'MODE' },
    ),
    loadModel: setting(
      z.array(text).default([]),
      'Load this model at the start, with --model-control-mode explicit. * loads all models.',
      { placeholder: 'MODEL' },
    ),
    tritonserverLogVerboseLevel: setting(
      z.number().int().min(0).default(0),
      'Set how much tritonserver logs beyond info.',
    ),
    worldSize: setting(
      z.number().int().min(1).default(1),
      'Set the number of ranks of a TensorRT-LLM engine that spans several GPUs. Conch starts one tritonserver per rank with mpirun.',
    ),
    dryRun: setting(z.boolean().default(false), 'Print the command that would start tritonserver, and exit.', {
      variable: false,
      file: false,
    }),
  }),
  ...inGroup('embedded', {
    model: setting(
      z.array(text).default([]),
      'Serve this GGUF file. The embedded engine runs it under the name of the file, or under NAME with NAME=FILE.',
      { placeholder: '[NAME=]FILE', path: 'named-file', isCommon: true },
    ),
    lora: setting(z.array(text).default([]), 'Add a LoRA adapter in GGUF format to the models of --model.', {
      placeholder: 'NAME=FILE',
      path: 'named-file',
    }),
    threads: setting(z.number().int().min(1).optional(), 'Set the number of threads of the embedded engine.', {
      defaultText: 'the number of cores minus one',
    }),
    sequences: setting(
      z.number().int().min(1).max(64).default(4),
      'Set how many requests an embedded model processes at the same time.',
    ),
    maxQueueSize: setting(
      z.number().int().min(0).default(128),
      'Limit the requests that wait for an embedded model. Conch rejects further requests with a 429.',
    ),
  }),
  ...inGroup('kserve', {
    enableKserveFrontends: setting(
      z.boolean().default(false),
      'Also serve the KServe v2 protocol, over HTTP and gRPC.',
    ),
    kserveHttpPort: setting(port.default(8000), 'Set the port of the KServe HTTP frontend. 0 selects a free port.'),
    kserveGrpcPort: setting(port.default(8001), 'Set the port of the KServe gRPC frontend. 0 selects a free port.'),
  }),
  ...inGroup('models', {
    loraRoot: setting(
      text.optional(),
      'Allow POST /v1/load_lora_adapter to load LoRA adapters from this folder. Without it, no adapter is loaded by path.',
      { path: 'folder' },
    ),
    loraSeparator: setting(
      text.default('_lora_'),
      'Set the text between model and LoRA adapter in the model name of a request: MODEL_lora_ADAPTER.',
      { live: true },
    ),
  }),
};
