import { describe, expect, it } from 'vitest';
import { decodeControl, encodeControl, methodPath, protocol } from './control-codec.ts';
import type { ControlCalls, ControlMethod } from './messages.ts';

/** A message as the protocol's own reader sees it, without defaults. */
function reread(name: string, bytes: Uint8Array): object {
  const type = protocol().lookupType(`inference.${name}`);
  return type.toObject(type.decode(bytes), { longs: String, enums: Number, bytes: Array });
}

/** The bytes of a message that a server would send. */
function written(name: string, message: object): Uint8Array {
  const type = protocol().lookupType(`inference.${name}`);
  return type.encode(type.fromObject(message)).finish();
}

describe('methodPath', () => {
  it('is the path of a call of the service', () => {
    expect(methodPath('ServerLive')).toBe('/inference.GRPCInferenceService/ServerLive');
  });
});

describe('encodeControl', () => {
  it.each<[ControlMethod, ControlCalls[ControlMethod]['request'], object]>([
    ['ServerLive', {}, {}],
    ['ModelReady', { name: 'toy' }, { name: 'toy' }],
    ['ModelConfig', { name: 'toy', version: '3' }, { name: 'toy', version: '3' }],
    ['RepositoryIndex', { ready: true }, { ready: true }],
    [
      'SystemSharedMemoryRegister',
      { name: 'region', key: '/key', offset: 2 ** 40, byte_size: Number.MAX_SAFE_INTEGER },
      { name: 'region', key: '/key', offset: '1099511627776', byte_size: '9007199254740991' },
    ],
    [
      'CudaSharedMemoryRegister',
      { name: 'region', raw_handle: Uint8Array.of(0, 255), device_id: -1, byte_size: 1 },
      { name: 'region', raw_handle: [0, 255], device_id: '-1', byte_size: '1' },
    ],
    [
      'TraceSetting',
      { model_name: 'toy', settings: { trace_level: { value: ['TIMESTAMPS', 'TENSORS'] }, trace_rate: { value: [] } } },
      { model_name: 'toy', settings: { trace_level: { value: ['TIMESTAMPS', 'TENSORS'] }, trace_rate: {} } },
    ],
    [
      'LogSettings',
      {
        settings: {
          log_info: { bool_param: false },
          log_verbose_level: { uint32_param: 4_294_967_295 },
          log_format: { string_param: '' },
        },
      },
      {
        settings: {
          log_info: { bool_param: false },
          log_verbose_level: { uint32_param: 4_294_967_295 },
          log_format: { string_param: '' },
        },
      },
    ],
    [
      'RepositoryModelLoad',
      {
        model_name: 'toy',
        parameters: {
          config: { string_param: '{"backend":"python"}' },
          'file:1/model.py': { bytes_param: Uint8Array.of(1, 2, 3) },
          count: { int64_param: -5 },
        },
      },
      {
        model_name: 'toy',
        parameters: {
          config: { string_param: '{"backend":"python"}' },
          'file:1/model.py': { bytes_param: [1, 2, 3] },
          count: { int64_param: '-5' },
        },
      },
    ],
  ])('writes a %s that the protocol reads back', (method, request, expected) => {
    expect(reread(`${method}Request`, encodeControl(method, request as never))).toEqual(expected);
  });
});

describe('decodeControl', () => {
  it('gives 64-bit integers as numbers and every default', () => {
    const bytes = written('ModelStatisticsResponse', {
      model_stats: [
        {
          name: 'toy',
          version: '1',
          last_inference: 1_763_000_000_123,
          inference_stats: { success: { count: 3, ns: 2 ** 50 } },
          response_stats: { 0: { compute_infer: { count: 1 } } },
        },
      ],
    });
    const none = { count: 0, ns: 0 };
    const { model_stats: stats } = decodeControl('ModelStatistics', bytes);
    expect(stats).toEqual([
      {
        name: 'toy',
        version: '1',
        last_inference: 1_763_000_000_123,
        inference_count: 0,
        execution_count: 0,
        inference_stats: {
          success: { count: 3, ns: 2 ** 50 },
          fail: null,
          queue: null,
          compute_input: null,
          compute_infer: null,
          compute_output: null,
          cache_hit: null,
          cache_miss: null,
        },
        batch_stats: [],
        memory_usage: [],
        response_stats: {
          0: {
            compute_infer: { ...none, count: 1 },
            compute_output: null,
            success: null,
            fail: null,
            empty_response: null,
            cancel: null,
          },
        },
      },
    ]);
  });

  it('gives enums by their names, maps as objects, and of a choice only what was chosen', () => {
    const bytes = written('ModelConfigResponse', {
      config: {
        name: 'toy',
        backend: 'vllm',
        max_batch_size: -1,
        input: [{ name: 'text', data_type: 13, dims: [-1, 4], optional: true }],
        instance_group: [{ kind: 3, count: 2, gpus: [0, 1] }, { kind: 99 }],
        parameters: { RELEASE: { string_value: '24.10' } },
        model_transaction_policy: { decoupled: true },
        version_policy: { specific: { versions: [1, 3] } },
      },
    });
    const { config } = decodeControl('ModelConfig', bytes);
    expect(config).toMatchObject({
      name: 'toy',
      platform: '',
      backend: 'vllm',
      max_batch_size: -1,
      input: [{ name: 'text', data_type: 'TYPE_STRING', format: 'FORMAT_NONE', dims: [-1, 4], optional: true }],
      output: [],
      instance_group: [{ kind: 'KIND_MODEL', count: 2, gpus: [0, 1] }, { kind: 99 }],
      parameters: { RELEASE: { string_value: '24.10' } },
      model_transaction_policy: { decoupled: true },
      version_policy: { specific: { versions: [1, 3] } },
      optimization: null,
    });
    expect(config).not.toHaveProperty('ensemble_scheduling');
    expect(config).not.toHaveProperty('version_policy.latest');
  });

  it('reads an empty message as all defaults', () => {
    const nothing = new Uint8Array();
    expect(decodeControl('ServerLive', nothing)).toEqual({ live: false });
    expect(decodeControl('RepositoryModelLoad', nothing)).toEqual({});
    expect(decodeControl('RepositoryIndex', nothing)).toEqual({ models: [] });
    expect(decodeControl('ServerMetadata', nothing)).toEqual({ name: '', version: '', extensions: [] });
    expect(decodeControl('LogSettings', nothing)).toEqual({ settings: {} });
    expect(decodeControl('SystemSharedMemoryStatus', nothing)).toEqual({ regions: {} });
    expect(decodeControl('ModelConfig', nothing)).toEqual({ config: null });
  });

  it('reads maps of messages, unsigned integers past 2^32 and settings of each kind', () => {
    const region = { name: 'a', key: '/a', offset: 2 ** 33, byte_size: 2 ** 52 };
    const regions = { 'with space': region, '': { ...region, name: '' } };
    expect(decodeControl('SystemSharedMemoryStatus', written('SystemSharedMemoryStatusResponse', { regions }))).toEqual(
      {
        regions,
      },
    );
    const settings = {
      info: { bool_param: false },
      level: { uint32_param: 4_294_967_295 },
      file: { string_param: '' },
    };
    expect(decodeControl('LogSettings', written('LogSettingsResponse', { settings }))).toEqual({ settings });
  });

  it('keeps what it does not know out, and refuses what is cut', () => {
    const known = written('ServerMetadataResponse', { name: 'triton', version: '2.51.0' });
    const unknown = Uint8Array.of(0x7a, 0x02, 0x68, 0x69);
    expect(decodeControl('ServerMetadata', Buffer.concat([known, unknown]))).toEqual({
      name: 'triton',
      version: '2.51.0',
      extensions: [],
    });
    expect(() => decodeControl('ServerMetadata', known.subarray(0, -1))).toThrow(
      'The server sent an invalid protobuf message.',
    );
  });
});
