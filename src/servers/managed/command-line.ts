/** The ports of a tritonserver that Conch starts, all on loopback. */
export interface TritonPorts {
  readonly http: number;
  readonly grpc: number;
  readonly metrics: number;
}

/** What a tritonserver is started with. */
export interface TritonCommand {
  readonly program: string;
  readonly repositories: readonly string[];
  readonly modelControlMode: 'none' | 'explicit';
  readonly loadModels: readonly string[];
  readonly logVerboseLevel: number;
  /** The folder of its backends, if it does not find them itself. */
  readonly backendDirectory?: string | undefined;
  /** Ranks of a TensorRT-LLM engine that spans several GPUs, one tritonserver each, under MPI. */
  readonly worldSize: number;
  /** The models that the ranks after the first load. */
  readonly rankModels: readonly string[];
  /** Extra flags of the operator, passed on unchanged. */
  readonly extra: readonly string[];
}

const loopback = '127.0.0.1';

/** The program and its arguments. Several ranks become one mpirun command, as in TensorRT-LLM's launch script. */
export function tritonCommand(command: TritonCommand, ports: TritonPorts): [string, ...string[]] {
  if (command.worldSize === 1) return [command.program, ...rankZero(command, ports), ...command.extra];
  const ranks = Array.from({ length: command.worldSize }, (_, rank) => [
    ...(rank === 0 ? [] : [':']),
    '-n',
    '1',
    command.program,
    ...(rank === 0 ? rankZero(command, ports) : laterRank(command, ports)),
    '--disable-auto-complete-config',
    `--backend-config=python,shm-region-prefix-name=prefix${rank}_`,
    ...command.extra,
  ]);
  return ['mpirun', '--allow-run-as-root', ...ranks.flat()];
}

/** The command as typed in a shell. */
export function shellText(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

function rankZero(command: TritonCommand, ports: TritonPorts): string[] {
  return [
    ...shared(command, ports),
    // A model that does not load is reported as unavailable; the others serve.
    '--exit-on-error=false',
    `--model-control-mode=${command.modelControlMode}`,
    ...command.loadModels.map((model) => `--load-model=${model}`),
    ...(command.logVerboseLevel > 0 ? [`--log-verbose=${command.logVerboseLevel}`] : []),
  ];
}

function laterRank(command: TritonCommand, ports: TritonPorts): string[] {
  return [
    ...shared(command, ports),
    '--model-control-mode=explicit',
    ...command.rankModels.map((model) => `--load-model=${model}`),
  ];
}

function shared({ repositories, backendDirectory }: TritonCommand, ports: TritonPorts): string[] {
  return [
    ...repositories.map((repository) => `--model-repository=${repository}`),
    ...(backendDirectory === undefined ? [] : [`--backend-directory=${backendDirectory}`]),
    `--http-address=${loopback}`,
    `--http-port=${ports.http}`,
    `--grpc-address=${loopback}`,
    `--grpc-port=${ports.grpc}`,
    `--metrics-address=${loopback}`,
    `--metrics-port=${ports.metrics}`,
  ];
}
