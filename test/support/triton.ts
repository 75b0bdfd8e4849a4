import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { againVariable, recordCrash } from './crashes.ts';
import { inRoot, pythonLibraries, pythonProgram, tokenizersFolder, tritonFolder } from './environment.ts';
import { freePorts } from './ports.ts';
import { processes } from './processes.ts';

export interface TritonOptions {
  /** A model repository: a path from the checkout's root, or an absolute one. */
  readonly repository: string;
  readonly modelControl?: 'none' | 'explicit';
  /** With explicit control: what is loaded at the start. */
  readonly loadModels?: readonly string[];
  readonly extraArguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Fixed ports, for a server that comes back where another has gone. */
  readonly ports?: TritonPorts;
  /** A folder with one folder for each backend, instead of the Python backend and our imitations. */
  readonly backends?: string;
  readonly workingFolder?: string;
  /** How long it may take until it is ready. */
  readonly readyMilliseconds?: number;
}

export interface TritonPorts {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly metricsPort: number;
}

export interface Triton extends TritonPorts {
  readonly pid: number;
  /** All that it has printed so far. */
  readonly log: () => string;
  /** The signal or exit code that it ended with; undefined while it runs. */
  readonly ended: () => NodeJS.Signals | number | undefined;
  /** Resolves when it has ended, and what it left is cleaned up. */
  readonly closed: Promise<unknown>;
  /** Ends it at once. */
  readonly stop: () => Promise<void>;
  /** Sends it a signal (SIGSTOP, SIGCONT, SIGKILL …), and waits for its end after a SIGKILL. */
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
}

const READY_MILLISECONDS = 180_000;
const POLL_MILLISECONDS = 25;
const TRIES = 5;

/** Starts a real tritonserver and waits until it is ready. It never outlives the process that called this. */
export async function startTriton(options: TritonOptions): Promise<Triton> {
  for (let attempt = 1; ; attempt++) {
    const triton = await launch(options);
    const failure = await untilReady(triton, options.readyMilliseconds);
    if (failure === undefined) return triton;
    await triton.kill('SIGKILL');
    const portTaken = triton.log().includes('already in use') && options.ports === undefined;
    if (!portTaken || attempt === TRIES) throw new Error(`${failure}\n${triton.log().slice(-4000)}`);
  }
}

interface LaunchedTriton extends Triton {
  readonly child: ChildProcess;
}

let launches = 0;

async function launch(options: TritonOptions): Promise<LaunchedTriton> {
  const ports = options.ports ?? (await takePorts());
  const folder = mkdtempSync(join(tmpdir(), 'conch-triton-'));
  const sharedMemory = `conch-${process.pid}-${launches++}-`;
  if (options.backends === undefined) linkBackends(folder);
  const program = tritonProgram();
  const guard = [inRoot('test/support/guard.py'), String(process.pid)];
  const child = spawn(
    pythonProgram(),
    [...guard, program, ...flags(options, ports, options.backends ?? folder, sharedMemory)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...tritonEnvironment(), ...options.environment },
      cwd: options.workingFolder,
    },
  );
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (log += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  child.once('exit', (_, signal) => {
    if (recordCrash(process.env[againVariable], signal))
      console.error(`A tritonserver ended by ${signal}.\n${log.slice(-2000)}`);
  });
  const closed = once(child, 'exit').finally(() => cleanUp(folder, sharedMemory));
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    if (signal === 'SIGKILL') await closed;
  };
  // Asked to stop, it looks once a second whether its models are gone. Nothing of it is wanted any more.
  const stop = () => kill('SIGKILL');
  if (child.pid === undefined) throw new Error('The Python of the tests could not be started');
  const ended = () => child.signalCode ?? child.exitCode ?? undefined;
  return { ...ports, child, pid: child.pid, log: () => log, ended, closed, stop, kill };
}

async function takePorts(): Promise<TritonPorts> {
  const [grpcPort = 0, httpPort = 0, metricsPort = 0] = await freePorts(3);
  return { grpcPort, httpPort, metricsPort };
}

/** The server's own Python backend, and ours that imitates vLLM's, side by side as Triton wants them. */
export function linkBackends(folder: string): void {
  symlinkSync(join(tritonFolder(), 'pytriton/tritonserver/backends/python'), join(folder, 'python'));
  for (const name of readdirSync(inRoot('test/support/backends'))) {
    symlinkSync(inRoot(`test/support/backends/${name}`), join(folder, name));
  }
}

function flags(options: TritonOptions, ports: TritonPorts, backends: string, sharedMemory: string): string[] {
  const { repository, modelControl = 'none', loadModels = [], extraArguments = [] } = options;
  return [
    `--model-repository=${repository.startsWith('/') ? repository : inRoot(repository)}`,
    `--model-control-mode=${modelControl}`,
    ...loadModels.map((model) => `--load-model=${model}`),
    `--backend-directory=${backends}`,
    `--backend-config=python,shm-region-prefix-name=${sharedMemory}`,
    `--backend-config=vllm,shm-region-prefix-name=${sharedMemory}`,
    ...['http', 'grpc', 'metrics'].map((service) => `--${service}-address=127.0.0.1`),
    `--http-port=${ports.httpPort}`,
    `--grpc-port=${ports.grpcPort}`,
    `--metrics-port=${ports.metricsPort}`,
    '--allow-gpu-metrics=false',
    '--exit-timeout-secs=5',
    ...extraArguments,
  ];
}

/** The tritonserver of the tests. */
export function tritonProgram(): string {
  return join(tritonFolder(), 'pytriton/tritonserver/bin/tritonserver');
}

/** What a tritonserver needs to find its Python and our imitations of backends. */
export function tritonEnvironment(): Record<string, string | undefined> {
  return {
    ...process.env,
    PATH: `${dirname(pythonProgram())}:${process.env['PATH'] ?? ''}`,
    LD_LIBRARY_PATH: `${pythonLibraries()}:${join(tritonFolder(), 'nvidia_pytriton.libs')}`,
    CONCH_TEST_SUPPORT: inRoot('test/support'),
    CONCH_TEST_TOKENIZERS: tokenizersFolder(),
  };
}

/** undefined when it became ready, else what went wrong. */
async function untilReady(
  { ended, httpPort }: LaunchedTriton,
  milliseconds = READY_MILLISECONDS,
): Promise<string | undefined> {
  const deadline = Date.now() + milliseconds;
  while (Date.now() < deadline) {
    if (ended() !== undefined) return 'tritonserver ended before it was ready:';
    if (await isReady(httpPort)) return undefined;
    await pause(POLL_MILLISECONDS);
  }
  return `tritonserver was not ready within ${milliseconds / 1000} seconds:`;
}

/** Whether the tritonserver with this HTTP port takes requests. */
export function isReady(httpPort: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${httpPort}/v2/health/ready`).then(
    (response) => response.ok,
    () => false,
  );
}

/** A server that was killed leaves the processes of its Python models and their shared memory behind. */
function cleanUp(folder: string, sharedMemory: string): void {
  for (const pid of processes((words) => words.some((word) => word.includes(sharedMemory)))) endAtOnce(pid);
  rmSync(folder, { recursive: true, force: true });
  for (const name of readdirSync('/dev/shm')) {
    if (name.startsWith(sharedMemory)) rmSync(join('/dev/shm', name), { force: true });
  }
}

/** Kills a process, which may have ended by itself since it was found. */
function endAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
