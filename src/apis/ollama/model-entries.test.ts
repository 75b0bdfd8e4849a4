import { expect, it } from 'vitest';
import { listEntry, runningEntry, showEntry } from './model-entries.ts';

const facts = { name: 'toy', created: 1_700_000_000, fingerprint: 'fp_1', kind: 'vllm', contextLength: 4096 };
const details = {
  parent_model: '',
  format: 'vllm',
  family: '',
  families: [],
  parameter_size: '',
  quantization_level: '',
};
const digest: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);

it('a model is listed by its name, and its digest changes with the served model', () => {
  const entry = listEntry(facts);
  expect(entry).toEqual({
    name: 'toy:latest',
    model: 'toy:latest',
    modified_at: '2023-11-14T22:13:20.000Z',
    size: 0,
    digest,
    details,
  });
  expect(listEntry({ ...facts, fingerprint: 'fp_2' }).digest).not.toBe(entry.digest);
  expect(runningEntry(facts)).toEqual({
    name: 'toy:latest',
    model: 'toy:latest',
    size: 0,
    digest: entry.digest,
    details,
    expires_at: '2999-12-31T23:59:59Z',
    size_vram: 0,
    context_length: 4096,
  });
});

it('a model is described with its template, context length and capabilities', () => {
  const capabilities = { completion: true, tools: true, images: true, reasoning: true, embedding: false };
  expect(showEntry({ ...facts, parent: 'base' }, { template: '{{ x }}', capabilities })).toEqual({
    modelfile: '',
    parameters: '',
    template: '{{ x }}',
    details: { ...details, parent_model: 'base' },
    model_info: { 'general.architecture': 'unknown', 'general.basename': 'toy', 'unknown.context_length': 4096 },
    capabilities: ['completion', 'tools', 'vision', 'thinking'],
    modified_at: '2023-11-14T22:13:20.000Z',
  });
});
