import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { text } from './value-types.ts';

const port = z.number().int().min(0).max(65535);

/** Settings of what runs on this machine: a tritonserver that Conch starts, the embedded engine, the KServe frontends. */
export const localSettings = {
  ...inGroup('repository', {
    modelRepository: setting(
      z.array(text).default([]),
      'Folder of models in the layout of Triton. Those with backend: "llamacpp" run in this process, the others in a tritonserver that Conch starts.',
      { path: 'folder' },
    ),
    tritonserver: setting(text.optional(), 'The tritonserver to start.', {
      path: 'file',
      defaultText: 'on PATH, or where the containers of Triton have it',
    }),
    modelControlMode: setting(
      z.enum(['none', 'explicit']).default('none'),
      'Whether all models are loaded at the start (none), or only those of --load-model (explicit).',
      { placeholder: 'MODE' },
    ),
    loadModel: setting(
      z.array(text).default([]),
      'Model to load at the start, with --model-control-mode explicit; * for all.',
      { placeholder: 'MODEL' },
    ),
    tritonserverLogVerboseLevel: setting(z.number().int().min(0).default(0), 'How much tritonserver logs beyond info.'),
    worldSize: setting(
      z.number().int().min(1).default(1),
      'Ranks of a TensorRT-LLM engine that spans several GPUs: one tritonserver each, started with mpirun.',
    ),
    dryRun: setting(z.boolean().default(false), 'Print the command that would start tritonserver, and exit.', {
      variable: false,
      file: false,
    }),
  }),
  ...inGroup('embedded', {
    model: setting(
      z.array(text).default([]),
      'GGUF file to serve with the embedded engine, under the name of the file or as NAME=FILE.',
      { placeholder: '[NAME=]FILE', path: 'named-file' },
    ),
    lora: setting(z.array(text).default([]), 'LoRA adapter in GGUF form for the models of --model, as NAME=FILE.', {
      placeholder: 'NAME=FILE',
      path: 'named-file',
    }),
    threads: setting(z.number().int().min(1).optional(), 'Threads of the embedded engine.', {
      defaultText: 'one less than the cores',
    }),
    sequences: setting(
      z.number().int().min(1).max(64).default(4),
      'Requests that an embedded model answers at the same time.',
    ),
    maxQueueSize: setting(
      z.number().int().min(0).default(128),
      'Requests that may wait for an embedded model; one more is answered with a 429.',
    ),
  }),
  ...inGroup('kserve', {
    enableKserveFrontends: setting(z.boolean().default(false), 'Serve the KServe v2 protocol too, over HTTP and gRPC.'),
    kserveHttpPort: setting(port.default(8000), 'Port of the KServe HTTP frontend; 0 for any free one.'),
    kserveGrpcPort: setting(port.default(8001), 'Port of the KServe gRPC frontend; 0 for any free one.'),
  }),
  ...inGroup('models', {
    loraRoot: setting(
      text.optional(),
      'Folder that POST /v1/load_lora_adapter may load LoRA adapters from; without it none are loaded by path.',
      { path: 'folder' },
    ),
    loraSeparator: setting(
      text.default('_lora_'),
      'What stands between a model and its LoRA adapter in the name of a request: MODEL_lora_ADAPTER.',
      { live: true },
    ),
  }),
};
