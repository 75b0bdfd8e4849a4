import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { pythonProgram } from '../support/environment.ts';
import { startGateway } from '../support/gateway.ts';
import { python } from '../support/python.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-schemathesis-'));
const config = join(folder, 'conch.json');
// The names of the document's examples.
writeFileSync(config, JSON.stringify({ models: { llama: { serves: 'vllm-toy' }, minilm: { serves: 'vllm-embed' } } }));
let conch: Conch;

beforeAll(async () => {
  conch = await startGateway(
    '--config',
    config,
    '--store',
    `sqlite:${join(folder, 'responses.sqlite')}`,
    '--request-timeout',
    '20s',
  );
});
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true });
});

/** It is there for Python 3.11 and later alone. */
const isMissing = Number(execFileSync(pythonProgram(), ['-c', 'import sys; print(sys.version_info[1])'])) < 11;

it.skipIf(isMissing)(
  'answers as its own document says, whatever schemathesis sends',
  { timeout: 600_000 },
  async () => {
    const { stdout, stderr, exitCode } = await python('test/security/schemathesis_checks.py', [
      conch.url,
      '20261115',
      '5',
    ]);
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: expect.stringMatching(/No issues found/) as string,
      stderr: '',
      exitCode: 0,
    });
  },
);
