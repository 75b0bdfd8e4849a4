import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { inRoot, pythonProgram } from '../support/environment.ts';
import { eventsOf, startGateway } from '../support/gateway.ts';
import { type Outcome, runProgram } from '../support/program.ts';
import { isLeftOut } from '../support/system-program.ts';
import { weatherCities, weatherRounds } from '../tools/requests.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-examples-'));
let conch: Conch;
beforeAll(async () => {
  const settings = join(folder, 'conch.json');
  // What makes the toy model call functions stands in the system message, so that the example needs no word of it.
  writeFileSync(settings, JSON.stringify({ models: { agent: { serves: 'vllm-toy', system: weatherRounds } } }));
  conch = await startGateway('--config', settings, '--api-key', 'sesame');
});
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the toy model says to the question of most examples. */
const response =
  'You said "What is a conch?". This is answer number 0, and I think that I agree with every part of it, word by word by word.';

function runExample(name: string, signal: AbortSignal, model = 'vllm-toy'): Promise<Outcome> {
  const environment = {
    OPENAI_BASE_URL: `${conch.url}/v1`,
    OPENAI_API_KEY: 'sesame',
    OPENAI_MODEL: model,
    PYTHONDONTWRITEBYTECODE: '1',
    TRANSFORMERS_NO_ADVISORY_WARNINGS: '1',
  };
  const program = name.endsWith('.py') ? pythonProgram() : name.endsWith('.sh') ? 'bash' : process.execPath;
  return runProgram(program, [inRoot(`examples/${name}`)], { environment, signal });
}

/** LlamaIndex and Instructor are there for Python 3.11 and later alone. */
const isOldPython = Number(execFileSync(pythonProgram(), ['-c', 'import sys; print(sys.version_info[1])'])) < 11;

describe('the examples', { timeout: 120_000 }, () => {
  it('all have a test here, or one of their own', () => {
    expect(readdirSync(inRoot('examples')).toSorted()).toEqual([
      'README.md',
      'agent-loop.py',
      'curl.sh',
      'instructor-python.py',
      'langchain-js.mjs',
      'langchain-python.py',
      'llamaindex.py',
      'openai-node.mjs',
      'openai-python.py',
      'vercel-ai.mjs',
    ]);
  });

  it.for(['openai-python.py', 'openai-node.mjs', 'langchain-python.py', 'langchain-js.mjs', 'vercel-ai.mjs'])(
    '%s gets an answer at once, and one as it comes',
    async (name, { signal }) => {
      expect(await runExample(name, signal)).toEqual({ code: 0, stdout: `${response}\n${response}\n`, stderr: '' });
    },
  );

  it.skipIf(isOldPython)('llamaindex.py gets an answer at once, and one as it comes', async ({ signal }) => {
    const { code, stdout } = await runExample('llamaindex.py', signal);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${response}\n${response}\n` });
  });

  it.skipIf(isLeftOut('curl'))(
    'curl.sh lists the models, and gets an answer at once and as it comes',
    async ({ signal }) => {
      const { code, stdout, stderr } = await runExample('curl.sh', signal);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const [models = '', whole = '', ...events] = stdout.split('\n');
      expect((JSON.parse(models) as { data: { id: string }[] }).data.map(({ id }) => id)).toContain('vllm-toy');
      expect(JSON.parse(whole)).toMatchObject({ choices: [{ message: { content: response }, finish_reason: 'stop' }] });
      const chunks = eventsOf(events.join('\n'));
      expect(chunks.pop()).toBe('[DONE]');
      const pieces = chunks as { choices: { delta: { content?: string } }[] }[];
      expect(pieces.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(response);
    },
  );

  it.skipIf(isOldPython)('instructor-python.py gets an object of its class', async ({ signal }) => {
    const { code, stdout } = await runExample('instructor-python.py', signal);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"name":"toy","legs":7,"habitat":"sea"}\n' });
  });

  it('agent-loop.py runs functions until the answer is words', async ({ signal }) => {
    const calls = weatherCities.map((city) => `get_weather {"city": "${city}"}: sunny in ${city}\n`);
    expect(await runExample('agent-loop.py', signal, 'agent')).toEqual({
      code: 0,
      stdout: `${calls.join('')}All are sunny.\n`,
      stderr: '',
    });
  });
});
