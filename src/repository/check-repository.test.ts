import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkRepository } from './check-repository.ts';
import { findingLine } from './finding.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'conch-check-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function check(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const { findings } = await checkRepository([folder]);
  return findings.map((finding) => findingLine(finding).replace(`${folder}/`, ''));
}

const model = (config: string) => ({ 'm/config.pbtxt': config, 'm/1/model.py': '' });

it('finds what Triton refuses in tensors', async () => {
  const config = `backend: "python"
max_batch_size: -1
input [ { data_type: TYPE_INT8 dims: 1 },
        { name: "a" data_type: TYPE_INT8 dims: [ 0 ] },
        { name: "a" data_type: 99 dims: [ -1 ] },
        { name: "b" dims: [ -2 ] } ]
`;
  expect(await check(model(config))).toEqual([
    'm/config.pbtxt:2:1: error: max_batch_size must not be negative.',
    'm/config.pbtxt:3:9: error: this input has no name.',
    'm/config.pbtxt:4:42: error: the dims of a must be -1 or at least 1, not 0.',
    'm/config.pbtxt:5:9: warning: the input a is declared twice.',
    'm/config.pbtxt:5:21: error: the input a has the unknown data_type 99.',
    'm/config.pbtxt:6:9: warning: the input b has no data_type: the backend must be able to complete it.',
    'm/config.pbtxt:6:21: error: the dims of b must be -1 or at least 1, not -2.',
  ]);
});

it('warns of parameters that are given twice or never filled', async () => {
  const config = `backend: "python"
parameters { key: "a" value { string_value: "1" } }
parameters { key: "a" value { string_value: "\${engine_dir}" } }
`;
  expect(await check(model(config))).toEqual([
    'm/config.pbtxt:3:12: warning: parameters[a] is set twice: the last value applies.',
    'm/config.pbtxt:3:23: warning: ${engine_dir} of the parameter a is not filled in.',
  ]);
});

it('warns of a path that the Python backend cannot use', async () => {
  expect(await check({ 'a b/config.pbtxt': 'backend: "python"', 'a b/1/model.py': '' })).toEqual([
    'a b: warning: its path contains a space: the Python backend of tritonserver hangs on it.',
  ]);
});

const guarded = '"structured_outputs_config":{"backend":"xgrammar"}';
const requested = 'parameters { key: "ENABLE_VLLM_HEALTH_CHECK" value { string_value: "true" } }';

it.each([
  [
    { 'm/1/.keep': '' },
    'm/1/model.json: error: this file is missing: it must contain the engine arguments of the vLLM model.',
  ],
  [{ 'm/1/model.json': '[' }, 'm/1/model.json: error: it is not a JSON object.'],
  [
    { 'm/1/model.json': '{}' },
    'm/1/model.json: error: "model" is missing: set it to a folder or the name of a model on the Hugging Face hub.',
  ],
  [
    { 'm/1/model.json': `{"model":"a","enable_lora":"True",${guarded}}` },
    'm/1/multi_lora.json: error: this file is missing: it must list the adapters, because enable_lora is true.',
  ],
  [
    { 'm/1/model.json': `{"model":"a","enable_lora":true,${guarded}}`, 'm/1/multi_lora.json': '"a"' },
    'm/1/multi_lora.json: error: it is not a JSON object.',
  ],
])('finds what a vLLM model lacks: %j', async (files, finding) => {
  expect(await check({ 'm/config.pbtxt': `backend: "vllm" ${requested}`, ...files })).toEqual([finding]);
});

const noLibrary =
  'm/1/model.json: warning: structured_outputs_config is missing, so one structured-output request can crash the engine: add ' +
  '"structured_outputs_config": {"backend":"xgrammar","disable_any_whitespace":true} to model.json.';
const noCheck =
  'm/config.pbtxt: warning: ENABLE_VLLM_HEALTH_CHECK is missing, so Triton reports the model as ready after its engine has ' +
  'failed: add parameters { key: "ENABLE_VLLM_HEALTH_CHECK" value { string_value: "true" } } to config.pbtxt.';

it.each([
  ['{"model":"a"}', '', [noCheck, noLibrary]],
  ['{"model":"a","structured_outputs_config":{"backend":"auto"}}', requested, [noLibrary]],
  ['{"model":"a","structured_outputs_config":{"disable_any_whitespace":true}}', requested, [noLibrary]],
  [`{"model":"a",${guarded}}`, requested.replace('true', 'false'), [noCheck]],
  [`{"model":"a",${guarded}}`, requested.replace('true', 'True'), []],
  ['{"model":"a","structured_outputs_config":"{\\"backend\\":\\"guidance\\"}"}', requested, []],
  ['{"model":"a","guided_decoding_backend":"xgrammar"}', requested, []],
])('warns of a vLLM model without its safeguards: %s %s', async (engine, parameters, findings) => {
  const files = { 'm/config.pbtxt': `backend: "vllm" ${parameters}`, 'm/1/model.json': engine };
  expect(await check(files)).toEqual(findings);
});

it("checks Conch's own vLLM model like one of Triton's backend, whose adapters may come later", async () => {
  const files = {
    'm/config.pbtxt': 'backend: "python"',
    'm/1/model.py': '',
    'm/1/conch_vllm/__init__.py': '',
    'm/1/model.json': `{"model":"a","enable_lora":true,${guarded}}`,
  };
  expect(await check(files)).toEqual([noCheck]);
});

describe('an ensemble', () => {
  const inner = `backend: "python" max_batch_size: 4
input [ { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }, { name: "EXTRA" data_type: TYPE_FP32 dims: [ -1 ] optional: true } ]
output [ { name: "OUT" data_type: TYPE_STRING dims: [ -1 ] } ]`;
  const ensemble = (steps: string) => ({
    'inner/config.pbtxt': inner,
    'inner/1/model.py': '',
    'e/1/.keep': '',
    'e/config.pbtxt': `platform: "ensemble" max_batch_size: 4
input [ { name: "a" data_type: TYPE_INT32 dims: [ 1 ] } ]
output [ { name: "z" data_type: TYPE_STRING dims: [ -1 ] } ]
ensemble_scheduling { step [
${steps}
] }`,
  });
  const good =
    '{ model_name: "inner" model_version: -1 input_map { key: "IN" value: "a" } output_map { key: "OUT" value: "z" } }';

  it('that fits together has no finding', async () => {
    expect(await check(ensemble(good))).toEqual([]);
  });

  it.each([
    ['"inner"', '"inter"', ['5:1: error: the model "inter" does not exist. Did you mean inner?']],
    [
      '"IN"',
      '"INN"',
      [
        '5:64: error: inner has no input INN. Did you mean IN?',
        '5:1: error: inner needs the input IN, which this step does not provide.',
      ],
    ],
    ['"OUT"', '"OUTPUT"', ['5:103: error: inner has no output OUTPUT.']],
    [
      'value: "a"',
      'value: "A1"',
      ['5:63: error: no step provides A1. Did you mean a?', '2:9: warning: no step uses the input a.'],
    ],
    ['value: "z"', 'value: "y"', ['3:10: error: no step provides the output z.']],
    [
      '"IN" value: "a"',
      '"EXTRA" value: "a"',
      [
        '5:66: error: a of the ensemble is TYPE_INT32, but EXTRA of inner is TYPE_FP32.',
        '5:1: error: inner needs the input IN, which this step does not provide.',
      ],
    ],
  ])('with %s made %s is told', async (from, to, findings) => {
    expect(await check(ensemble(good.replace(from, to)))).toEqual(
      findings.map((finding) => `e/config.pbtxt:${finding}`),
    );
  });

  it('with tensors of another shape is reported', async () => {
    const files = ensemble(good);
    const flat = files['e/config.pbtxt'].replace('max_batch_size: 4', 'max_batch_size: 0');
    expect(await check({ ...files, 'e/config.pbtxt': flat })).toEqual([
      'e/config.pbtxt:5:63: error: a of the ensemble is [1], but IN of inner is [-1, 1].',
      'e/config.pbtxt:3:10: error: OUT of inner is [-1, -1], but z of the ensemble is [-1].',
    ]);
  });

  it('without steps, with a tensor from two models, or with a broken model is reported', async () => {
    expect(await check({ ...ensemble(''), 'e/config.pbtxt': 'platform: "ensemble"' })).toEqual([
      'e/config.pbtxt: error: an ensemble needs ensemble_scheduling with at least one step.',
    ]);
    expect(await check(ensemble(`${good},\n${good}`))).toEqual([
      'e/config.pbtxt:6:100: error: z is already provided by inner.',
    ]);
    expect(await check({ ...ensemble(good), 'inner/config.pbtxt': '?' })).toEqual([
      'e/config.pbtxt:5:1: error: the model inner cannot be served.',
      'inner/config.pbtxt:1:1: error: expected a field, but found "?".',
    ]);
  });
});
