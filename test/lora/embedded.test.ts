import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAdapter } from '../embedded/gguf-adapter.ts';
import { cacheDir, modelFile } from '../embedded/support.ts';
import { textsOf } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { post, type Response } from '../support/gateway.ts';
import { listed } from './requests.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-lora-'));
const root = join(folder, 'root');
let conch: Conch;
let closed: Conch;

const shape = { architecture: 'llama', tensor: 'blk.3.ffn_down.weight', inputs: 1536, outputs: 576 };

beforeAll(async () => {
  mkdirSync(root);
  writeAdapter(join(folder, 'first.gguf'), { ...shape, strength: 2 });
  writeAdapter(join(root, 'late.gguf'), { ...shape, strength: 2 });
  writeFileSync(join(root, 'text.gguf'), 'not a gguf');
  const flags = ['--model', `small=${await modelFile()}`, '--context-length', '512', '--cache-dir', cacheDir];
  const first = ['--lora', `first=${join(folder, 'first.gguf')}`];
  conch = await startConch({ flags: [...flags, ...first, '--lora-root', root] });
  closed = await startConch({ flags });
});
afterAll(async () => {
  await Promise.all([conch.stop(), closed.stop()]);
  rmSync(folder, { recursive: true });
});

const load = (lora_name: string, lora_path: string, url = conch.url): Promise<Response> =>
  post(`${url}/v1/load_lora_adapter`, { lora_name, lora_path });
const ask = (model: string): Promise<Response> =>
  post(`${conch.url}/v1/completions`, { model, prompt: 'Name three animals:', max_tokens: 12, temperature: 0 });
const failure = (message: string, param: string, code = 'invalid_request') => ({
  error: { message, type: 'invalid_request_error', param, code },
});

describe('the adapters of an embedded model', () => {
  it('are listed, and one that is loaded while it runs answers like one of the start', async () => {
    expect(await listed(conch.url)).toEqual([
      ['small', 'small', null],
      ['small_lora_first', 'small', 'small'],
    ]);
    expect((await load('late', 'late.gguf')).text).toBe("Success: LoRA adapter 'late' added successfully.");
    expect(await listed(conch.url)).toContainEqual(['small_lora_late', 'small', 'small']);
    const [plain, first, late] = [await ask('small'), await ask('small_lora_first'), await ask('small_lora_late')];
    expect(textsOf(late)).toEqual(textsOf(first));
    expect(textsOf(late)).not.toEqual(textsOf(plain));
    expect([await load('late', 'late.gguf'), await load('first', 'late.gguf')].map(({ body }) => body)).toEqual(
      ['late', 'first'].map((name) =>
        failure(`lora_name: the LoRA adapter ${name} is already loaded. Unload it first.`, 'lora_name'),
      ),
    );
    const removed = await post(`${conch.url}/v1/unload_lora_adapter`, { lora_name: 'late' });
    expect(removed.text).toBe("Success: LoRA adapter 'late' removed successfully.");
    const closed = await ask('small_lora_late');
    expect([closed.status, closed.body]).toEqual([
      404,
      failure('This model has no LoRA adapter named late. It has: first.', 'model', 'model_not_found'),
    ]);
  });

  it('are refused where the file is none, or lies elsewhere, without naming the folder', async () => {
    const text = await load('x', 'text.gguf');
    expect([text.status, text.body.error?.['param']]).toEqual([400, 'lora_path']);
    expect(text.body.error?.['message']).toMatch(/^lora_path: text\.gguf is not a GGUF file/);
    expect((await load('x', '../first.gguf')).body).toEqual(
      failure('lora_path: the path must be inside the --lora-root folder.', 'lora_path'),
    );
  });

  it('are not loaded by path unless the settings allow it', async () => {
    const { status, body } = await load('x', 'late.gguf', closed.url);
    expect([status, body]).toEqual([
      400,
      failure(
        'lora_path: loading adapters by path is disabled. Start Conch with --lora-root DIR to allow it.',
        'lora_path',
      ),
    ]);
  });
});
