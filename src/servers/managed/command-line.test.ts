import { describe, expect, it } from 'vitest';
import { shellText, type TritonCommand, tritonCommand } from './command-line.ts';

const ports = { http: 1, grpc: 2, metrics: 3 };
const plain: TritonCommand = {
  program: '/opt/tritonserver/bin/tritonserver',
  repositories: ['/models'],
  modelControlMode: 'none',
  loadModels: [],
  logVerboseLevel: 0,
  worldSize: 1,
  rankModels: ['tensorrt_llm'],
  extra: [],
};
const listen =
  '--http-address=127.0.0.1 --http-port=1 --grpc-address=127.0.0.1 --grpc-port=2 --metrics-address=127.0.0.1 --metrics-port=3';

describe('tritonCommand', () => {
  it('starts one server on loopback', () => {
    expect(shellText(tritonCommand(plain, ports))).toBe(
      `/opt/tritonserver/bin/tritonserver --model-repository=/models ${listen} --exit-on-error=false --model-control-mode=none`,
    );
  });

  it('passes on control mode, models, verbosity, backends and further flags', () => {
    const command = {
      ...plain,
      repositories: ['/a', '/b c'],
      modelControlMode: 'explicit',
      loadModels: ['*'],
      logVerboseLevel: 2,
      backendDirectory: '/backends',
      extra: ['--strict-readiness=false'],
    } as const;
    expect(shellText(tritonCommand(command, ports))).toBe(
      `/opt/tritonserver/bin/tritonserver --model-repository=/a '--model-repository=/b c' --backend-directory=/backends ${listen} ` +
        `--exit-on-error=false --model-control-mode=explicit '--load-model=*' --log-verbose=2 --strict-readiness=false`,
    );
  });

  it('starts a rank per GPU under MPI, the later ones with only the engine', () => {
    const rank = (number: number, control: string) =>
      `-n 1 /opt/tritonserver/bin/tritonserver --model-repository=/models ${listen} ${control} ` +
      `--disable-auto-complete-config --backend-config=python,shm-region-prefix-name=prefix${number}_`;
    expect(shellText(tritonCommand({ ...plain, worldSize: 2 }, ports))).toBe(
      `mpirun --allow-run-as-root ${rank(0, '--exit-on-error=false --model-control-mode=none')} : ` +
        rank(1, '--model-control-mode=explicit --load-model=tensorrt_llm'),
    );
  });
});

describe('shellText', () => {
  it('quotes what a shell would not take as it is', () => {
    expect(shellText(['a', "it's", '$HOME', ''])).toBe(`a 'it'\\''s' '$HOME' ''`);
  });
});
