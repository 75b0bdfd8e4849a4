import { describe, expect, it } from 'vitest';
import { completeModelConfig, readModelConfig, writeModelConfig } from './model-config.ts';

describe('writeModelConfig', () => {
  it('writes what is present, in the order of the type', () => {
    const text = writeModelConfig({
      max_batch_size: 0,
      name: 'm',
      input: [
        { name: 'a', data_type: 'TYPE_INT32', dims: [-1, 3], optional: true },
        { name: 'b', reshape: { shape: [] } },
      ],
      version_policy: { all: {} },
      instance_group: [{ count: 1, kind: 'KIND_MODEL' }],
      parameters: { key: { string_value: 'a "b"\\\n\u0001é' } },
    });
    expect(text).toBe(`name: "m"
version_policy { all { } }
max_batch_size: 0
input [
  {
    name: "a"
    data_type: TYPE_INT32
    dims: [ -1, 3 ]
    optional: true
  },
  {
    name: "b"
    reshape { }
  }
]
instance_group [
  {
    kind: KIND_MODEL
    count: 1
  }
]
parameters {
  key: "key"
  value { string_value: "a \\"b\\"\\\\\\n\\001é" }
}
`);
  });

  it('writes what the reader reads back', () => {
    const config = {
      name: 'é "\\ \u007f\u0000',
      dynamic_batching: { max_queue_delay_microseconds: '18446744073709551615', priority_queue_policy: { 7: {} } },
      model_metrics: {
        metric_control: [{ histogram_options: { buckets: [0.1, 1e21, -0, 5, Infinity, -Infinity, NaN, 1e-7] } }],
      },
      metric_tags: { '': '', a: 'b' },
      model_warmup: [{ inputs: { x: { zero_data: true } } }, {}],
    };
    expect(readModelConfig(writeModelConfig(config), 'f').config).toEqual(completeModelConfig(config));
  });

  it.each([
    [{ nam: 'a' }, 'nam is not a field of ModelConfig.'],
    [{ name: 5 }, 'name cannot be 5.'],
    [{ max_batch_size: 'x' }, 'max_batch_size cannot be "x".'],
    [{ input: {} }, 'input cannot be {}.'],
    [{ input: [{ data_type: 'INT8' }] }, 'data_type cannot be "INT8".'],
  ])('refuses %j', (config, problem) => {
    expect(() => writeModelConfig(config)).toThrow(problem);
  });
});
