import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeTokensModel } from './conch-tokens.ts';
import { inRoot, tritonFolder, vllmModelFolder, vllmPython } from './environment.ts';
import { startTriton, type Triton, tritonEnvironment } from './triton.ts';

/** The one model of the real vLLM. */
export const realModel = 'smollm2';

/** What Triton says over HTTP. */
export interface TritonResponse {
  readonly status: number;
  readonly text: string;
}

/** A tritonserver whose vLLM backend drives the real vLLM on a CPU. */
export interface RealVllm extends Triton {
  /** Where its files are. */
  readonly folder: string;
  /** The engine processes, also of a stub that is gone. */
  readonly engines: () => number[];
  readonly stubs: () => number[];
  /** The inferences that Triton has counted for the model. */
  readonly inferences: () => Promise<number>;
  /** Generates past Conch. */
  readonly generate: (sampling: Record<string, unknown>) => Promise<TritonResponse>;
  /** Sends the engine its first guide, which decides its library. */
  readonly begin: (guide: object) => Promise<void>;
}

interface RealVllmOptions {
  readonly modelControl?: 'none' | 'explicit';
  /** Members of model.json beside those that every test has. */
  readonly engineArguments?: Readonly<Record<string, unknown>>;
  /** Writes the repository instead of realRepository. */
  readonly writeRepository?: typeof realRepository;
}

/** An engine takes half a minute on a quiet machine, and ten times as long on two busy cores. */
export const readyMilliseconds = 900_000;

const engineArguments = {
  dtype: 'float32',
  max_model_len: 2048,
  max_num_seqs: 32,
  enforce_eager: true,
  disable_log_stats: true,
};

/** A repository with the model, and the backend of CONCH_TEST_VLLM_BACKEND or our own. */
export function realRepository(folder: string, more: Readonly<Record<string, unknown>> = {}): string {
  const backends = join(folder, 'backends');
  const version = join(folder, 'models', realModel, '1');
  mkdirSync(backends, { recursive: true });
  mkdirSync(version, { recursive: true });
  symlinkSync(join(tritonFolder(), 'pytriton/tritonserver/backends/python'), join(backends, 'python'));
  const backend = process.env['CONCH_TEST_VLLM_BACKEND'] ?? inRoot('test/support/real_vllm/vllm');
  symlinkSync(backend, join(backends, 'vllm'));
  const settings = { model: vllmModelFolder(), ...engineArguments, ...more };
  writeFileSync(join(version, 'model.json'), JSON.stringify(settings));
  writeFileSync(
    join(folder, 'models', realModel, 'config.pbtxt'),
    'backend: "vllm"\ninstance_group [{ count: 1, kind: KIND_MODEL }]\n',
  );
  return join(folder, 'models');
}

/** A repository with the model behind python/conch_vllm, which counts the tokens of its engine. */
export function tokensRepository(folder: string, more: Readonly<Record<string, unknown>> = {}): string {
  const backends = join(folder, 'backends');
  mkdirSync(backends, { recursive: true });
  symlinkSync(join(tritonFolder(), 'pytriton/tritonserver/backends/python'), join(backends, 'python'));
  const root = join(folder, 'adapters');
  mkdirSync(root);
  const parameters = `parameters { key: "LORA_ROOT" value { string_value: "${root}" } }\n`;
  writeTokensModel(
    join(folder, 'models'),
    realModel,
    { model: vllmModelFolder(), ...engineArguments, ...more },
    { parameters, entry: 'test/support/real_vllm/counting_model.py' },
  );
  return join(folder, 'models');
}

/** What a tritonserver needs to run vLLM on one core with a small cache, and without asking any other host. */
export function realEnvironment(): Record<string, string> {
  const python = vllmPython();
  const packages = readdirSync(join(dirname(python), '../lib'))
    .map((name) => join(dirname(python), '../lib', name, 'site-packages'))
    .join(':');
  return {
    PATH: `${dirname(python)}:${process.env['PATH'] ?? ''}`,
    LD_LIBRARY_PATH: String(tritonEnvironment()['LD_LIBRARY_PATH']),
    CONCH_TEST_SUPPORT: inRoot('test/support'),
    PYTHONPATH: packages,
    PYTHONDONTWRITEBYTECODE: '1',
    CUDA_VISIBLE_DEVICES: '',
    HF_HUB_OFFLINE: '1',
    OMP_NUM_THREADS: '1',
    VLLM_CPU_KVCACHE_SPACE: '1',
    VLLM_CPU_OMP_THREADS_BIND: 'nobind',
    VLLM_NO_USAGE_STATS: '1',
  };
}

/** Starts a tritonserver with one real engine, and waits until it is ready. */
export async function startRealVllm(options: RealVllmOptions = {}): Promise<RealVllm> {
  const folder = mkdtempSync(join(tmpdir(), 'conch-vllm-'));
  const repository = (options.writeRepository ?? realRepository)(folder, options.engineArguments);
  const isExplicit = options.modelControl === 'explicit';
  const end = (): void => endProcessesIn(folder);
  process.once('exit', end);
  const triton = await startTriton({
    repository,
    modelControl: isExplicit ? 'explicit' : 'none',
    loadModels: isExplicit ? [realModel] : [],
    backends: join(folder, 'backends'),
    // Its processes are known by it: the engine writes over its command line and its environment.
    workingFolder: folder,
    environment: realEnvironment(),
    readyMilliseconds,
  });
  const generate: RealVllm['generate'] = async (sampling) => {
    const url = `http://127.0.0.1:${triton.httpPort}/v2/models/${realModel}/generate`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(directRequest(sampling)) });
    return { status: response.status, text: await response.text() };
  };
  return {
    ...triton,
    folder,
    generate,
    begin: async (guide) => {
      const { status, text } = await generate({ structured_outputs: JSON.stringify(guide) });
      if (status !== 200) throw new Error(`The first guide failed: ${text}`);
    },
    inferences: () => inferencesOf(triton),
    engines: () => processesIn(folder, 'VLLM::EngineCor'),
    stubs: () => processesIn(folder, 'triton_python_b'),
    stop: async () => {
      await triton.stop();
      end();
      process.off('exit', end);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function directRequest(sampling: Record<string, unknown>): object {
  const parameters = JSON.stringify({ max_tokens: 4, temperature: 0, ...sampling });
  return { text_input: 'Once upon a time', sampling_parameters: parameters, exclude_input_in_output: true };
}

interface Statistics {
  readonly model_stats: readonly {
    readonly inference_stats: Readonly<Record<'success' | 'fail', { readonly count: number }>>;
  }[];
}

async function inferencesOf({ httpPort }: Triton): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/v2/models/${realModel}/stats`);
  const { model_stats: models } = (await response.json()) as Statistics;
  return models.reduce((sum, { inference_stats: { success, fail } }) => sum + success.count + fail.count, 0);
}

/** The processes with this working folder, of this name as the kernel cuts it where one is given; none that has ended. */
function processesIn(folder: string, name?: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && isIn(pid, folder) && (name === undefined || nameOf(pid) === name))
    .map(Number);
}

function isIn(pid: string, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    return false;
  }
}

function nameOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function endProcessesIn(folder: string): void {
  for (const pid of processesIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}
