import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { begin, receivedFor, release, streamedChoices, user } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post, startGateway } from '../support/gateway.ts';

let folder: string;
let file: string;
let conch: Conch;
/** Lines of the log that were waited for already. */
let passed: number;

const start = async (text: string, ...flags: string[]): Promise<void> => {
  writeFileSync(file, text);
  conch = await startGateway('--config', file, ...flags);
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-reload-'));
  file = join(folder, 'conch.yaml');
  passed = 0;
});
afterEach(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true });
});

/** Resolves with the level of the next line that says this, behind the last one that was waited for. */
const logged = async (message: string): Promise<unknown> => {
  const line = await conch.logged((one) => conch.log().indexOf(one) >= passed && one['message'] === message);
  passed = conch.log().indexOf(line) + 1;
  return line['level'];
};
const readAgain = (changed: string): Promise<unknown> => logged(`${file} was reloaded; changed: ${changed}`);

const alias = (name: string, temperature: number) =>
  `models: {${name}: {serves: vllm-toy, defaults: {temperature: ${temperature}}}}\n`;
const echo = directive({ echo_parameters: true });
/** The temperature that a name's requests are sent with; the status where it is refused. */
const temperature = async (model: string): Promise<unknown> => {
  const response = await post(`${conch.url}/v1/completions`, { model, prompt: echo });
  return response.status === 200 ? receivedFor(response)[0]?.sampling_parameters['temperature'] : response.status;
};
const served = async (): Promise<string[]> => {
  const { data } = (await (await fetch(`${conch.url}/v1/models`)).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id).filter((id) => !/^(vllm|tokens)-/.test(id));
};

describe('a file that changes is read again', () => {
  it('when it is written in place', async () => {
    await start(alias('gpt', 0.25));
    expect([await temperature('gpt'), await served()]).toEqual([0.25, ['gpt']]);
    writeFileSync(file, alias('gpt', 0.5));
    expect(await readAgain('models.gpt')).toBe('info');
    expect(await temperature('gpt')).toBe(0.5);
    writeFileSync(file, alias('other', 0.5));
    await readAgain('models.gpt, models.other');
    expect([await temperature('gpt'), await temperature('other'), await served()]).toEqual([404, 0.5, ['other']]);
  });

  it('when another file takes its place, time and again', async () => {
    await start(alias('gpt', 0.25));
    for (const expected of [0.5, 0.75]) {
      const next = join(folder, '.conch.yaml.new');
      writeFileSync(next, alias('gpt', expected));
      renameSync(next, file);
      await readAgain('models.gpt');
      expect(await temperature('gpt')).toBe(expected);
    }
  });

  it('when it stands behind links that are turned elsewhere, as in Kubernetes', async () => {
    const put = (version: string, text: string): void => {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'conch.yaml'), text);
      symlinkSync(version, join(folder, '..data.new'));
      renameSync(join(folder, '..data.new'), join(folder, '..data'));
    };
    put('..1', alias('gpt', 0.25));
    symlinkSync(join('..data', 'conch.yaml'), file);
    conch = await startGateway('--config', file);
    for (const [version, expected] of [
      ['..2', 0.5],
      ['..3', 0.75],
    ] as const) {
      put(version, alias('gpt', expected));
      await readAgain('models.gpt');
      expect(await temperature('gpt')).toBe(expected);
    }
  });

  it('when the link leads to another folder, where no event tells of it', async () => {
    const [location, first, second] = ['place', 'first', 'second'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const [at, expected] of [
      [first, 0.25],
      [second, 0.5],
    ] as const) {
      mkdirSync(at);
      writeFileSync(join(at, 'conch.yaml'), alias('gpt', expected));
    }
    mkdirSync(location);
    symlinkSync(first, join(folder, 'current'));
    file = join(location, 'conch.yaml');
    symlinkSync(join(folder, 'current', 'conch.yaml'), file);
    conch = await startGateway('--config', file);
    symlinkSync(second, join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'current'));
    await readAgain('models.gpt');
    expect(await temperature('gpt')).toBe(0.5);
  });

  it('at SIGHUP', async () => {
    await start(alias('gpt', 0.25));
    process.kill(conch.pid, 'SIGHUP');
    expect(await logged(`${file} was reloaded; no changes to apply`)).toBe('info');
    expect(await temperature('gpt')).toBe(0.25);
  });
});

describe('a file that cannot be taken over leaves things as they were', () => {
  it('with the words of the start, until it is valid again', async () => {
    await start(alias('gpt', 0.25));
    writeFileSync(file, 'log_level: warning\nmodels: {gpt: {serves: vllm-toy, defaults: {temperature: 9}}}\n');
    const stored = 'the settings are unchanged:';
    expect(await logged(`${stored} ${file}:2:45: models.gpt.defaults.temperature must be at most 2, not 9.`)).toBe(
      'error',
    );
    writeFileSync(file, 'models: {gpt: {serves: vllm-toy, tokenizer: ./none}}\n');
    await logged(`${stored} ${file}:1:34: folder not found: ${join(folder, 'none')}. Check the path.`);
    writeFileSync(file, 'models: {gpt: {serves: vllm-toy, tool_call_parser: herms}}\n');
    await conch.logged(({ message }) =>
      String(message).startsWith(`${stored} --tool-call-parser (tool_call_parser): unknown parser "herms"`),
    );
    writeFileSync(file, 'models: {gpt: {serves: other}, other: {serves: vllm-toy}}\n');
    await logged(
      `${stored} ${file}:1:16: models.gpt.serves must be a model of the server, but other is an alias. Set vllm-toy instead.`,
    );
    expect([await temperature('gpt'), await served()]).toEqual([0.25, ['gpt']]);
    writeFileSync(file, alias('gpt', 0.5));
    await readAgain('models.gpt');
    expect(await temperature('gpt')).toBe(0.5);
  });

  it('when it is removed, and is read when it is back', async () => {
    await start(alias('gpt', 0.25));
    rmSync(file);
    expect(await logged(`${file} does not exist any more; the settings are unchanged`)).toBe('warn');
    expect(await temperature('gpt')).toBe(0.25);
    writeFileSync(file, alias('gpt', 0.5));
    await readAgain('models.gpt');
    expect(await temperature('gpt')).toBe(0.5);
  });
});

describe('what a changed file changes', () => {
  it('is what can change; the rest is named, and flags are stronger as ever', async () => {
    await start('port: 4321\n', '--structured-retries', '3');
    writeFileSync(
      file,
      'port: 4322\ntriton_header: ["x-word: secret-key"]\nstructured_retries: 0\nmax_images: 1\nstrict_fields: true\n',
    );
    await readAgain('strict_fields, max_images');
    expect(
      await logged(`${file}: restart Conch to apply the changes of triton_header; until then the old values apply`),
    ).toBe('warn');
    const { status, body } = await post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt: 'x', colour: 1 });
    expect([status, body.error?.['code']]).toEqual([400, 'unknown_field']);
    expect(JSON.stringify(conch.log())).not.toContain('secret-key');
    // What is compared is what runs: it is said again until the restart.
    writeFileSync(file, 'triton_header: ["x-word: secret-key"]\n');
    await readAgain('strict_fields, max_images');
    await logged(`${file}: restart Conch to apply the changes of triton_header; until then the old values apply`);
  });

  it('is how much is logged', async () => {
    await start('log_level: info\n');
    const ask = async (tag: string): Promise<void> => {
      await fetch(`${conch.url}/health/live?${tag}`, { headers: { 'x-request-id': tag } });
    };
    await ask('first');
    writeFileSync(file, 'log_level: error\n');
    await readAgain('log_level');
    await ask('second');
    writeFileSync(file, 'log_level: info\n');
    await readAgain('log_level');
    await ask('third');
    await conch.logged(({ reqId }) => reqId === 'third');
    expect(conch.log().flatMap(({ reqId }) => (reqId === undefined ? [] : [reqId]))).toEqual(
      expect.arrayContaining(['first', 'third']),
    );
    expect(conch.log().some(({ reqId }) => reqId === 'second')).toBe(false);
  });

  it('is the tokenizer and the time limit of new requests; those that run keep what they began with', async () => {
    await start(`models: {gpt: {serves: vllm-toy}}\n`);
    const tokens = async () => {
      const { body } = await post(`${conch.url}/tokenize`, { model: 'gpt', messages: user('Hi') });
      return body['count'];
    };
    const tag = `reload-${process.pid}`;
    const prompt = directive({ answer: 'one two three four', tag, hold_at: 2 });
    const running = begin(`${conch.url}/v1/completions`, { model: 'gpt', prompt, stream: true });
    await running.until('data:');
    const before = await tokens();
    writeFileSync(
      file,
      `request_timeout: 1ms\nmodels: {gpt: {serves: vllm-toy, tokenizer: ${tokenizerFolder('gemma3')}}}\n`,
    );
    await readAgain('request_timeout, models.gpt');
    expect([before, await tokens()]).toEqual([9, 10]);
    const late = await post(`${conch.url}/v1/completions`, {
      model: 'gpt',
      prompt: directive({ answer: 'x', start_delay_ms: 500 }),
    });
    expect([late.status, late.body.error?.['code']]).toEqual([504, 'deadline_exceeded']);
    writeFileSync(file, 'models: {}\n');
    await readAgain('request_timeout, models.gpt');
    expect(await temperature('gpt')).toBe(404);
    await release(conch.url, tag);
    const text = await running.whole();
    expect(streamedChoices({ text }).map((choice) => choice.text)).toEqual(['one two three four']);
  });
});
