import { describe, expect, it } from 'vitest';
import { loadSettings } from './load.ts';
import { modelSettings, samplingDefaults } from './model-settings.ts';
import { plainWords } from './problem.ts';
import { SettingsError } from './settings-error.ts';

describe('modelSettings', () => {
  const text = `
tokenizer: org/all
default_max_tokens: 100
models:
  llama3: { tokenizer: org/llama3, context_length: 8192, adds_special_tokens: false, defaults: { temperature: 0.5, top_p: 0.9 } }
  gpt-4o-mini: { serves: llama3, context_length: 4096, defaults: { temperature: 0.2, max_tokens: 7 } }
`;
  const settings = loadSettings({ argv: ['--config', 'c.yaml', '--contract=llama3=vllm'], readFile: () => text });

  it('gives the settings for all models to a model without its own', () => {
    expect(modelSettings(settings, 'qwen3')).toEqual({ tokenizer: 'org/all', defaults: { max_tokens: 100 } });
    expect(modelSettings(settings, 'constructor')).toEqual({ tokenizer: 'org/all', defaults: { max_tokens: 100 } });
    expect(modelSettings(loadSettings(), 'qwen3')).toEqual({ defaults: {} });
  });

  it("puts a model's own before what holds for all", () => {
    expect(modelSettings(settings, 'llama3')).toEqual({
      tokenizer: 'org/llama3',
      contextLength: 8192,
      addsSpecialTokens: false,
      contract: 'vllm',
      defaults: { max_tokens: 100, temperature: 0.5, top_p: 0.9 },
    });
  });

  it("puts an alias's own before what holds for the model that it serves", () => {
    expect(modelSettings(settings, 'gpt-4o-mini')).toEqual({
      serves: 'llama3',
      tokenizer: 'org/llama3',
      contextLength: 4096,
      addsSpecialTokens: false,
      contract: 'vllm',
      defaults: { max_tokens: 7, temperature: 0.2, top_p: 0.9 },
    });
  });
});

describe('samplingDefaults', () => {
  it('takes every field at both ends of its range', () => {
    const low = { temperature: 0, top_p: 0.01, top_k: -1, min_p: 0, max_tokens: 1, min_tokens: 0, seed: -1, stop: 'a' };
    const high = {
      temperature: 2,
      top_p: 1,
      top_k: 99,
      min_p: 1,
      max_tokens: 9,
      min_tokens: 9,
      seed: 9,
      stop: ['a', 'b'],
    };
    const lowPenalties = { frequency_penalty: -2, presence_penalty: -2, repetition_penalty: 0.1 };
    const highPenalties = { frequency_penalty: 2, presence_penalty: 2, repetition_penalty: 2 };
    expect(samplingDefaults.parse({ ...low, ...lowPenalties })).toEqual({ ...low, ...lowPenalties });
    expect(samplingDefaults.parse({ ...high, ...highPenalties })).toEqual({ ...high, ...highPenalties });
  });

  it.each([
    ['temperature', -0.1, 'must be at least 0'],
    ['temperature', 2.1, 'must be at most 2'],
    ['temperature', 'warm', 'must be a number'],
    ['top_p', -0.1, 'must be at least 0'],
    ['top_p', 1.1, 'must be at most 1'],
    ['top_k', -2, 'must be at least -1'],
    ['top_k', 1.5, 'must be a whole number'],
    ['min_p', 1.1, 'must be at most 1'],
    ['max_tokens', 0, 'must be at least 1'],
    ['min_tokens', -1, 'must be at least 0'],
    ['frequency_penalty', 3, 'must be at most 2'],
    ['presence_penalty', -3, 'must be at least -2'],
    ['repetition_penalty', 0, 'must be more than 0'],
    ['seed', 0.5, 'must be a whole number'],
    ['stop', [], 'must have at least 1 item'],
    ['stop', '', 'must not be empty'],
    ['stop', 7, 'must be a text or a list of 1 to 16 texts'],
    ['stop', Array.from({ length: 17 }, () => 'a'), 'must be a text or a list of 1 to 16 texts'],
    ['model', 'x', 'has unknown keys'],
  ])('refuses %s of %j', (field, value, message) => {
    const result = samplingDefaults.safeParse({ [field]: value }, { error: plainWords });
    expect(result.error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});

describe('lora', () => {
  const problemsOf = (lora: string): readonly string[] => {
    try {
      loadSettings({ argv: ['--config', 'c.yaml'], readFile: () => `models: { m: { lora: ${lora} } }` });
      return [];
    } catch (error) {
      return error instanceof SettingsError ? error.problems : [String(error)];
    }
  };

  it('takes folders on the server as they are written', () => {
    const text =
      'models: { m: { lora: { a: { server_path: ./a, source: nemo }, b: { server_path: /b, task_id: 3 } } } }';
    const { models } = loadSettings({ argv: ['--config', '/etc/c.yaml'], readFile: () => text });
    expect(models['m']?.lora).toEqual({
      a: { server_path: './a', source: 'nemo' },
      b: { server_path: '/b', task_id: 3 },
    });
  });

  it.each([
    ['{ a: {} }', 'must have either dir or server_path'],
    ['{ a: { dir: /a, server_path: /b } }', 'must have either dir or server_path'],
    ['{ a: { dir: /a, source: hf } }', 'needs server_path'],
  ])('refuses %s', (lora, message) => {
    expect(problemsOf(lora)).toEqual([expect.stringContaining(message)]);
  });
});
