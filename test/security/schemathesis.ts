import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { pythonProgram } from '../support/environment.ts';
import { startGateway } from '../support/gateway.ts';
import { python } from '../support/python.ts';

/** It is there for Python 3.11 and later alone. */
const isMissing = Number(execFileSync(pythonProgram(), ['-c', 'import sys; print(sys.version_info[1])'])) < 11;

interface Effort {
  /** How many random requests each operation is sent. */
  readonly examples: number;
  /** Of the requests that meet or cross a limit of the schemas, every so many. */
  readonly coverageOneIn: number;
}

/** Defines the test that compares the answers of a Conch with its OpenAPI document. */
export function testWithSchemathesis({ examples, coverageOneIn }: Effort): void {
  const folder = mkdtempSync(join(tmpdir(), 'conch-schemathesis-'));
  const config = join(folder, 'conch.json');
  // The names of the document's examples.
  const models = { llama: { serves: 'vllm-toy' }, minilm: { serves: 'vllm-embed' } };
  writeFileSync(config, JSON.stringify({ models }));
  let conch: Conch;
  beforeAll(async () => {
    const store = `sqlite:${join(folder, 'responses.sqlite')}`;
    conch = await startGateway('--config', config, '--store', store, '--request-timeout', '20s');
  });
  afterAll(async () => {
    await conch.stop();
    rmSync(folder, { recursive: true });
  });

  it.skipIf(isMissing)(
    'answers as its own document says, whatever schemathesis sends',
    async () => {
      const { stdout, stderr, exitCode } = await python('test/security/schemathesis_checks.py', [
        conch.url,
        '20261115',
        String(examples),
        String(coverageOneIn),
      ]);
      expect({ stdout, stderr, exitCode }).toEqual({
        stdout: expect.stringMatching(/No issues found/) as string,
        stderr: '',
        exitCode: 0,
      });
    },
    1_800_000,
  );
}
