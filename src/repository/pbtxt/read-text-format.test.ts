import { describe, expect, it } from 'vitest';
import { readModelConfig } from './model-config.ts';
import { TextFormatError } from './text-format-error.ts';

const read = (text: string) => readModelConfig(text, 'config.pbtxt');
const config = (text: string) => read(text).config;

function problem(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof TextFormatError) return error.message.replace(/^config\.pbtxt:/, '');
    throw error;
  }
  return 'no problem';
}

const buckets = (list: string) => {
  const { config: found } = read(`model_metrics { metric_control { histogram_options { buckets: ${list} } } }`);
  const { model_metrics } = found as unknown as {
    model_metrics: { metric_control: { histogram_options: { buckets: number[] } }[] };
  };
  return model_metrics.metric_control[0]?.histogram_options.buckets;
};

describe('the forms of a config.pbtxt', () => {
  it.each([
    ['a list in brackets', 'input [ { name: "a" dims: [ 1, -1 ] }, { name: "b" } ]'],
    ['a field that repeats', 'input { name: "a" dims: 1 dims: -1 } input: { name: "b" }'],
    ['pointed brackets', 'input: < name: "a"; dims: [1], dims: -1; > input <name:"b">'],
    ['all on one line', 'input[{name:"a"dims:[1,-1]},{name:"b"}]'],
    [
      'with comments',
      '# one\ninput [ # two\n  { name: # three\n "a", dims: [ 1 # four\n , -1 ] }, { name: \'b\' } ]#five',
    ],
    ['with Windows line ends', 'input [\r\n  { name: "a"\r\n dims: [ 1, -1 ] },\r\n  { name: "b" }\r\n]\r\n'],
  ])('include %s', (_name, text) => {
    expect(config(text).input).toMatchObject([
      { name: 'a', dims: [1, -1] },
      { name: 'b', dims: [] },
    ]);
  });

  it('include texts side by side, both quotes and every escape', () => {
    expect(
      config(`name: "it's" ' "so"' "\\n\\t\\x41\\101\\0\\\\" '\\u00e9\\U0001F600\\ud83d\\ude00\\xc3\\xa9'`).name,
    ).toBe('it\'s "so"\n\tAA\0\\é😀😀é');
  });

  it('include maps as entries, the later one of a key in effect', () => {
    const text = `parameters { key: "a" value: { string_value: "1" } } parameters: [
      { key: "b", value { string_value: "2" } }, { value < string_value: "3" > key: "a" }, { key: "c" } ]`;
    const { config: found, repeatedKeys } = read(text);
    expect(found.parameters).toEqual({ a: { string_value: '3' }, b: { string_value: '2' }, c: { string_value: '' } });
    expect(repeatedKeys).toEqual([{ path: 'parameters[a]', line: 2, column: 50 }]);
  });

  it.each([
    ['7', 7],
    ['0x1F', 31],
    ['017', 15],
    ['- 5', -5],
    ['-0x10', -16],
    ['00', 0],
    ['2147483647', 2_147_483_647],
  ])('include the whole number %s', (written, value) => {
    expect(config(`max_batch_size: ${written}`).max_batch_size).toBe(value);
  });

  it('include floats with a suffix, infinities and NaN', () => {
    const list = '[1.5f, 2F, .5, 5., 1e3, -1e-3f, inf, -Infinity, nan, 1e400, - 2.5]';
    expect(buckets(list)).toEqual([1.5, 2, 0.5, 5, 1000, -0.001, Infinity, -Infinity, NaN, Infinity, -2.5]);
  });

  it.each(['true', 'True', 't', '1', '0x1', '01'])('include %s for true', (written) => {
    expect(config(`input { optional: ${written} }`).input[0]?.optional).toBe(true);
  });

  it.each(['false', 'False', 'f', '0'])('include %s for false', (written) => {
    expect(config(`input { optional: ${written} }`).input[0]?.optional).toBe(false);
  });

  it.each(['TYPE_INT32', '8', '0x8'])('include %s for an enum', (written) => {
    expect(config(`input { data_type: ${written} }`).input[0]?.data_type).toBe('TYPE_INT32');
  });

  it('include numbers past 2^53 to the nearest number', () => {
    const { config: found } = read('dynamic_batching { max_queue_delay_microseconds: 18446744073709551615 }');
    expect(found).toMatchObject({ dynamic_batching: { max_queue_delay_microseconds: 2 ** 64 } });
  });

  it('leave the defaults of what is not written', () => {
    expect(config('')).toMatchObject({ name: '', max_batch_size: 0, input: [], parameters: {} });
  });
});

describe('an error has its line and column:', () => {
  it.each([
    ['name: "a"\nname: "b"', '2:1: name is set twice, but takes one value.'],
    ['nam: "a"', '1:1: nam is not a field of ModelConfig. Did you mean name?'],
    ['input {\n  data_typ: TYPE_INT8\n}', '2:3: data_typ is not a field of ModelInput. Did you mean data_type?'],
    ['parameters { kay: "a" }', '1:14: kay is not a field of the entry of parameters. Did you mean key?'],
    ['max_batch_size: "8"', '1:17: expected a whole number for max_batch_size, but found "8".'],
    ['max_batch_size: 8.0', '1:17: expected a whole number for max_batch_size, but found 8.0.'],
    ['max_batch_size: 08', '1:17: expected a whole number for max_batch_size, but found 08.'],
    ['max_batch_size: +8', '1:17: a number must not have a + sign: remove it.'],
    ['max_batch_size: 8x', '1:17: 8x is not a number: put a space between a number and a name.'],
    ['max_batch_size: 1_0', '1:17: 1_0 is not a number: put a space between a number and a name.'],
    [
      'max_batch_size: 2147483648',
      '1:17: expected a whole number from -2147483648 to 2147483647 for max_batch_size, but found 2147483648.',
    ],
    [
      'dynamic_batching { max_queue_delay_microseconds: -1 }',
      '1:50: expected a whole number from 0 to 18446744073709551615 for max_queue_delay_microseconds, but found -1.',
    ],
    ['name: vllm', '1:7: expected a string in quotes for name, but found vllm.'],
    ['name: 5', '1:7: expected a string in quotes for name, but found 5.'],
    ['name "a"', '1:6: expected : after name, but found "a".'],
    ['name: ["a"]', '1:7: expected a string in quotes for name, but found [.'],
    ['name: "a', '1:7: the string has no closing quote: it must end on the line where it starts.'],
    ['name: "a\nb"', '1:7: the string has no closing quote: it must end on the line where it starts.'],
    ['name: "C:\\models"', '1:10: \\m is not a complete escape sequence: use \\\\ for a backslash.'],
    ['name: "\\777"', '1:8: \\777 is more than one byte: the largest is \\377.'],
    ['name: "\\ud800"', '1:8: \\ud800 is not a character.'],
    ['name: "\\xff"', '1:7: the string of name is not UTF-8.'],
    ['input { optional: TRUE }', '1:19: expected true or false for optional, but found TRUE.'],
    ['input { optional: 2 }', '1:19: expected true or false for optional, but found 2.'],
    [
      'input { data_type: TYPE_INT_32 }',
      '1:20: expected a value of DataType for data_type, but found TYPE_INT_32. Did you mean TYPE_INT32?',
    ],
    [
      'instance_group { kind: KIND_TPU }',
      '1:24: expected one of KIND_AUTO, KIND_GPU, KIND_CPU, KIND_MODEL for kind, but found KIND_TPU. Did you mean KIND_GPU?',
    ],
    ['input { data_type: "TYPE_INT8" }', '1:20: expected a value of DataType for data_type, but found "TYPE_INT8".'],
    [
      'version_policy {\n  latest { }\n  all { }\n}',
      '3:3: all cannot be combined with latest: only one policy_choice may be set.',
    ],
    ['version_policy [ { all { } } ]', '1:16: expected { after version_policy, but found [.'],
    ['version_policy: all', '1:17: expected { after version_policy, but found all.'],
    ['input [ { name: "a" } { name: "b" } ]', '1:23: expected , or ] in the list input of 1:7, but found {.'],
    ['input [ { name: "a" }, ]', '1:22: the list input has a comma after its last item: remove it.'],
    ['input { dims: [ 1, 2, ] }', '1:21: the list dims has a comma after its last item: remove it.'],
    ['input {\n  name: "a"\n', '3:1: expected } for the { of 1:7, but the file ends.'],
    ['input < name: "a" }', '1:19: expected a field of ModelInput, but found }.'],
    ['name: "a" }', '1:11: expected a field of ModelConfig, but found }.'],
    ['name: "a";;', '1:11: expected a field of ModelConfig, but found ;.'],
    ['// a comment', '1:1: expected a field of ModelConfig, but found /. A comment begins with #.'],
    ['{ "name": "a" }', '1:1: expected a field of ModelConfig, but found {.'],
    ['\ufeffname: "a"', '1:1: the file begins with a byte order mark: save it as UTF-8 without one.'],
    ['name: "a"\0', '1:10: expected a field, but found the control character 0.'],
    [
      'max_batch_size: ${triton_max_batch_size}',
      '1:17: ${triton_max_batch_size} is not filled in: set its value with conch repo fill.',
    ],
    ['parameters { key: "__proto__" }', '1:12: the key __proto__ of parameters is not supported.'],
    ['metric_tags { key: "a" key: "b" }', '1:24: key is set twice, but takes one value.'],
  ])('%j', (text, expected) => {
    expect(problem(text)).toBe(expected);
  });

  it('with the file in front', () => {
    expect(() => readModelConfig('x: 1', 'models/a/config.pbtxt')).toThrow('models/a/config.pbtxt:1:1: x is not');
  });
});

it('has the position of each field', () => {
  const { positions } = read(
    'name: "a"\ninput [\n  { name: "b" dims: 1 },\n  { name: "c" }\n]\nparameters {\n  key: "k"\n  value: { string_value: "v" }\n}\n',
  );
  expect(Object.fromEntries(positions)).toEqual({
    name: { line: 1, column: 1 },
    input: { line: 2, column: 1 },
    'input[0]': { line: 3, column: 3 },
    'input[0].name': { line: 3, column: 5 },
    'input[0].dims': { line: 3, column: 15 },
    'input[0].dims[0]': { line: 3, column: 21 },
    'input[1]': { line: 4, column: 3 },
    'input[1].name': { line: 4, column: 5 },
    parameters: { line: 6, column: 1 },
    'parameters[k]': { line: 8, column: 3 },
    'parameters[k].string_value': { line: 8, column: 12 },
  });
});
