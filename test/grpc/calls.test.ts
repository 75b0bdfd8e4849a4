import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ControlCalls } from '../../src/kserve/messages.ts';
import type { InferRequest, InferResponse } from '../../src/kserve/server.ts';
import type { Tensor } from '../../src/kserve/tensors.ts';
import { pulled } from '../support/pulled-responses.ts';
import { startTriton, type Triton } from '../support/triton.ts';
import { batchesOf, errorOf, type Failure, remoteServer, toyRequest } from './remote.ts';

const server = remoteServer(inject('triton').grpcPort);
afterAll(() => server.close());

const numbers = (values: readonly number[]): Tensor => ({
  name: 'number',
  datatype: 'INT32',
  shape: [values.length],
  data: Buffer.from(Int32Array.from(values).buffer),
});
const addOne = (request: Partial<InferRequest> = {}): InferRequest => ({
  model: 'add-one',
  id: 'seven',
  inputs: [numbers([1])],
  ...request,
});
const display = ({ model, version, id, parameters, final, outputs }: InferResponse) => ({
  model,
  version,
  id,
  parameters,
  final,
  outputs,
});
const readable = (code: string, message: string): Failure => ({ code, message, unreachable: false });

describe('health and metadata', () => {
  it('say that the server lives and is ready', async () => {
    expect(await server.call('ServerLive', {})).toEqual({ live: true });
    expect(await server.call('ServerReady', {})).toEqual({ ready: true });
  });

  it('say whether a model is ready', async () => {
    expect(await server.call('ModelReady', { name: 'add-one' })).toEqual({ ready: true });
    expect(await server.call('ModelReady', { name: 'add-one', version: '1' })).toEqual({ ready: true });
    expect(await server.call('ModelReady', { name: 'add-one', version: '9' })).toEqual({ ready: false });
    expect(await server.call('ModelReady', { name: 'nope' })).toEqual({ ready: false });
    expect(await errorOf(server.call('ModelReady', { name: 'add-one', version: 'x' }))).toEqual(
      readable(
        'INVALID_ARGUMENT',
        "failed to get model version from specified version string 'x' (details: stol), version should be an integral value > 0",
      ),
    );
  });

  it('describe the server', async () => {
    expect(await server.call('ServerMetadata', {})).toEqual({
      name: 'triton',
      version: '2.51.0',
      extensions: [
        'classification',
        'sequence',
        'model_repository',
        'model_repository(unload_dependents)',
        'schedule_policy',
        'model_configuration',
        'system_shared_memory',
        'cuda_shared_memory',
        'binary_tensor_data',
        'parameters',
        'statistics',
        'trace',
        'logging',
      ],
    });
  });

  it('describe a model', async () => {
    expect(await server.call('ModelMetadata', { name: 'add-one' })).toEqual({
      name: 'add-one',
      versions: ['1'],
      platform: 'python',
      inputs: [{ name: 'number', datatype: 'INT32', shape: [-1] }],
      outputs: [{ name: 'sum', datatype: 'INT32', shape: [-1] }],
    });
    expect(await errorOf(server.call('ModelMetadata', { name: 'nope' }))).toEqual(
      readable('NOT_FOUND', "Request for unknown model: 'nope' is not found"),
    );
    expect(await errorOf(server.call('ModelMetadata', { name: 'add-one', version: '9' }))).toEqual(
      readable('NOT_FOUND', "Request for unknown model: 'add-one' version 9 is not found"),
    );
  });
});

describe('ModelConfig', () => {
  it('gives the whole configuration, what was left out as the default', async () => {
    expect(await server.call('ModelConfig', { name: 'add-one' })).toEqual({
      config: {
        name: 'add-one',
        platform: '',
        backend: 'python',
        runtime: '',
        max_batch_size: 0,
        version_policy: { latest: { num_versions: 1 } },
        input: [
          {
            name: 'number',
            data_type: 'TYPE_INT32',
            format: 'FORMAT_NONE',
            dims: [-1],
            reshape: null,
            is_shape_tensor: false,
            allow_ragged_batch: false,
            optional: false,
            is_non_linear_format_io: false,
          },
        ],
        output: [
          {
            name: 'sum',
            data_type: 'TYPE_INT32',
            dims: [-1],
            reshape: null,
            label_filename: '',
            is_shape_tensor: false,
            is_non_linear_format_io: false,
          },
        ],
        batch_input: [],
        batch_output: [],
        optimization: {
          graph: null,
          priority: 'PRIORITY_DEFAULT',
          cuda: null,
          execution_accelerators: null,
          input_pinned_memory: { enable: true },
          output_pinned_memory: { enable: true },
          gather_kernel_buffer_threshold: 0,
          eager_batching: false,
        },
        instance_group: [
          {
            name: 'add-one_0',
            kind: 'KIND_CPU',
            count: 1,
            rate_limiter: null,
            gpus: [],
            secondary_devices: [],
            profile: [],
            passive: false,
            host_policy: '',
          },
        ],
        default_model_filename: 'model.py',
        cc_model_filenames: {},
        metric_tags: {},
        parameters: {},
        model_warmup: [],
        model_operations: null,
        model_transaction_policy: null,
        model_repository_agents: null,
        response_cache: null,
        model_metrics: null,
      },
    });
  });

  it('shows maps, ensembles and decoupled models', async () => {
    const { config: old } = await server.call('ModelConfig', { name: 'vllm-2410' });
    expect([old.parameters, old.model_transaction_policy]).toEqual([
      { RELEASE: { string_value: '24.10' } },
      { decoupled: true },
    ]);
    const { config: ensemble } = await server.call('ModelConfig', { name: 'add-two', version: '1' });
    const step = { model_name: 'add-one', model_version: -1, model_namespace: '' };
    expect([ensemble.platform, ensemble.ensemble_scheduling]).toEqual([
      'ensemble',
      {
        step: [
          { ...step, input_map: { number: 'number' }, output_map: { sum: 'one_more' } },
          { ...step, input_map: { number: 'one_more' }, output_map: { sum: 'sum' } },
        ],
        max_inflight_requests: 0,
      },
    ]);
  });
});

describe('ModelStatistics', () => {
  it('counts what a model has done', async () => {
    await server.infer(addOne());
    // Triton counts an inference after it has sent the response.
    const counted = async () =>
      (await server.call('ModelStatistics', { name: 'add-one' })).model_stats[0]?.inference_count;
    await expect.poll(counted).toBeGreaterThan(0);
    const done = { count: expect.any(Number) as number, ns: expect.any(Number) as number };
    const { model_stats: stats } = await server.call('ModelStatistics', { name: 'add-one' });
    expect(stats).toEqual([
      {
        name: 'add-one',
        version: '1',
        last_inference: expect.any(Number) as number,
        inference_count: expect.any(Number) as number,
        execution_count: expect.any(Number) as number,
        inference_stats: {
          success: done,
          fail: done,
          queue: done,
          compute_input: done,
          compute_infer: done,
          compute_output: done,
          cache_hit: { count: 0, ns: 0 },
          cache_miss: { count: 0, ns: 0 },
        },
        batch_stats: [{ batch_size: 1, compute_input: done, compute_infer: done, compute_output: done }],
        memory_usage: [],
        response_stats: {},
      },
    ]);
    expect(stats[0]?.inference_count).toBeGreaterThan(0);
    expect(stats[0]?.last_inference).toBeGreaterThan(Date.parse('2024-01-01'));
    const all = await server.call('ModelStatistics', {});
    expect(all.model_stats.map(({ name }) => name)).toContain('vllm-toy');
  });
});

describe('the repository', () => {
  it('lists its models', async () => {
    const names = [
      'add-one',
      'add-two',
      'tokens-toy',
      'vllm-2410',
      'vllm-2502',
      'vllm-bos',
      'vllm-embed',
      'vllm-llama',
      'vllm-queue',
      'vllm-toy',
    ];
    const models = names.map((name) => ({ name, version: '1', state: 'READY', reason: '' }));
    expect(await server.call('RepositoryIndex', {})).toEqual({ models });
    expect(await server.call('RepositoryIndex', { ready: true })).toEqual({ models });
  });

  it('refuses to load, unload and name other repositories', async () => {
    const closed = readable('UNAVAILABLE', 'explicit model load / unload is not allowed if polling is enabled');
    expect(await errorOf(server.call('RepositoryModelLoad', { model_name: 'add-one' }))).toEqual(closed);
    expect(await errorOf(server.call('RepositoryModelUnload', { model_name: 'add-one' }))).toEqual(closed);
    const other = { repository_name: 'other', model_name: 'add-one' };
    const unknown = readable('UNIMPLEMENTED', "'repository_name' specification is not supported");
    expect(await errorOf(server.call('RepositoryModelLoad', other))).toEqual(unknown);
    expect(await errorOf(server.call('RepositoryModelUnload', other))).toEqual(unknown);
    expect(await errorOf(server.call('RepositoryIndex', { repository_name: 'other' }))).toEqual(unknown);
  });
});

describe('shared memory', () => {
  const key = `/conch-grpc-${process.pid}`;
  const file = `/dev/shm${key}`;
  beforeAll(() => writeFileSync(file, Buffer.alloc(8192)));
  afterAll(() => rmSync(file));

  it('of the system is registered, shown and forgotten', async () => {
    const region = { name: 'conch', key, offset: 4096, byte_size: 64 };
    expect(await server.call('SystemSharedMemoryRegister', region)).toEqual({});
    expect(await server.call('SystemSharedMemoryStatus', { name: 'conch' })).toEqual({ regions: { conch: region } });
    expect(await errorOf(server.call('SystemSharedMemoryRegister', region))).toEqual(
      readable('ALREADY_EXISTS', "shared memory region 'conch' already in manager"),
    );
    expect(await server.call('SystemSharedMemoryUnregister', { name: 'conch' })).toEqual({});
    expect(await server.call('SystemSharedMemoryStatus', {})).toEqual({ regions: {} });
    expect(await errorOf(server.call('SystemSharedMemoryStatus', { name: 'conch' }))).toEqual(
      readable('NOT_FOUND', "Unable to find system shared memory region: 'conch'"),
    );
  });

  it('of a GPU is refused without one', async () => {
    const region = { name: 'conch', device_id: 0, byte_size: 64, raw_handle: Buffer.alloc(64) };
    expect(await errorOf(server.call('CudaSharedMemoryRegister', region))).toEqual(
      readable('INVALID_ARGUMENT', 'failed to register shared memory region: invalid args'),
    );
    expect(await server.call('CudaSharedMemoryStatus', {})).toEqual({ regions: {} });
    expect(await server.call('CudaSharedMemoryUnregister', { name: 'conch' })).toEqual({});
  });
});

describe('settings', () => {
  it('of the trace are read and written', async () => {
    const settings = {
      trace_count: { value: ['-1'] },
      trace_rate: { value: ['1000'] },
      log_frequency: { value: ['0'] },
      trace_level: { value: ['OFF'] },
      trace_mode: { value: ['triton'] },
      trace_file: { value: [''] },
    };
    expect(await server.call('TraceSetting', {})).toEqual({ settings });
    const model_name = 'add-two';
    const changed = { settings: { ...settings, trace_rate: { value: ['7'] } } };
    expect(await server.call('TraceSetting', { model_name, settings: { trace_rate: { value: ['7'] } } })).toEqual(
      changed,
    );
    expect(await server.call('TraceSetting', { model_name })).toEqual(changed);
    // A setting without a value goes back to the server's own.
    expect(await server.call('TraceSetting', { model_name, settings: { trace_rate: { value: [] } } })).toEqual({
      settings,
    });
    expect(await errorOf(server.call('TraceSetting', { settings: { trace_rate: { value: ['x'] } } }))).toEqual(
      readable('INVALID_ARGUMENT', "Unable to parse 'trace_rate', got: x"),
    );
  });

  it('of the log are read and written', async () => {
    const expected: ControlCalls['LogSettings']['response'] = {
      settings: {
        log_file: { string_param: '' },
        log_info: { bool_param: true },
        log_warning: { bool_param: true },
        log_error: { bool_param: true },
        log_verbose_level: { uint32_param: 0 },
        log_format: { string_param: 'default' },
      },
    };
    expect(await server.call('LogSettings', {})).toEqual(expected);
    expect(await server.call('LogSettings', { settings: { log_info: { bool_param: true } } })).toEqual(expected);
  });
});

describe('ModelInfer', () => {
  it('sends and receives numbers in raw form', async () => {
    const response = await server.infer(addOne({ inputs: [numbers([1, -2, 2 ** 31 - 2])], outputs: ['sum'] }));
    expect(display(response)).toEqual({
      model: 'add-one',
      version: '1',
      id: 'seven',
      parameters: {},
      final: false,
      outputs: [{ name: 'sum', datatype: 'INT32', shape: [3] }],
    });
    expect(response.raw('sum')).toEqual(numbers([2, -1, 2 ** 31 - 1]).data);
    expect(response.raw('number')).toBeUndefined();
  });

  it('accepts parameters of every kind and an empty tensor', async () => {
    const parameters = { flag: true, whole: -5, part: 0.5, word: 'ü' };
    const response = await server.infer(addOne({ parameters, version: '1', inputs: [numbers([])] }));
    expect([response.outputs, response.raw('sum')]).toEqual([
      [{ name: 'sum', datatype: 'INT32', shape: [0] }],
      Buffer.alloc(0),
    ]);
  });

  it('passes tensors of more than 4 MiB in both directions', async () => {
    const count = 2_000_000;
    const inputs = [numbers(Array.from({ length: count }, (_, at) => at))];
    const response = await server.infer(addOne({ inputs }));
    const sums = response.raw('sum') ?? Buffer.alloc(0);
    expect([sums.length, sums.readInt32LE(0), sums.readInt32LE(4 * (count - 1))]).toEqual([4 * count, 1, count]);
    const [[streamed] = []] = await batchesOf(pulled(server, addOne({ inputs })));
    expect(streamed?.raw('sum')?.equals(sums)).toBe(true);
  });

  it.each<[string, Partial<InferRequest>, Failure]>([
    ['an unknown model', { model: 'nope' }, readable('NOT_FOUND', "Request for unknown model: 'nope' is not found")],
    [
      'an unknown version',
      { version: '9' },
      readable('NOT_FOUND', "Request for unknown model: 'add-one' version 9 is not found"),
    ],
    [
      'a wrong datatype',
      { inputs: [{ ...numbers([1]), datatype: 'FP32' }] },
      readable(
        'INVALID_ARGUMENT',
        "[request id: seven] inference input 'number' data-type is 'FP32', but model 'add-one' expects 'INT32'",
      ),
    ],
    [
      'a wrong shape',
      { inputs: [{ ...numbers([1]), shape: [3] }] },
      readable(
        'INVALID_ARGUMENT',
        "[request id: seven] input byte size mismatch for input 'number' for model 'add-one'. Expected 12, got 4",
      ),
    ],
    [
      'a missing input',
      { inputs: [] },
      readable(
        'INVALID_ARGUMENT',
        "[request id: seven] expected 1 inputs but got 0 inputs for model 'add-one'. Got input(s) [], but missing required input(s) ['number']. Please provide all required input(s).",
      ),
    ],
    [
      'an unknown input',
      { inputs: [{ ...numbers([1]), name: 'other' }] },
      readable('INVALID_ARGUMENT', "unexpected inference input 'other' for model 'add-one'"),
    ],
    [
      'an unknown output',
      { outputs: ['other'] },
      readable('INVALID_ARGUMENT', "unexpected inference output 'other' for model 'add-one'"),
    ],
    [
      'a reserved parameter',
      { parameters: { triton_other: 1 } },
      readable(
        'INVALID_ARGUMENT',
        "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response",
      ),
    ],
  ])('fails for %s', async (_name, request, error) => {
    expect(await errorOf(server.infer(addOne(request)))).toEqual(error);
  });

  it('is refused by a decoupled model', async () => {
    expect(await errorOf(server.infer(toyRequest('Hello')))).toEqual(
      readable('UNIMPLEMENTED', "ModelInfer RPC doesn't support models with decoupled transaction policy"),
    );
  });

  it('can be given more time than a timer holds, and ends by its signal', async () => {
    expect((await server.infer(addOne(), { timeout: 1e12 })).raw('sum')).toEqual(numbers([2]).data);
    const leaving = new AbortController();
    const response = errorOf(server.infer(addOne(), { signal: leaving.signal }));
    leaving.abort();
    expect(await response).toEqual(readable('CANCELLED', 'The call was cancelled.'));
  });
});

describe('a tritonserver with restrictions, explicit model control and compression', () => {
  let triton: Triton;
  const restricted = 'inference,model-repository:conch-key=open sesame';
  const flags = [`--grpc-restricted-protocol=${restricted}`, '--grpc-infer-response-compression-level=high'];
  beforeAll(async () => {
    triton = await startTriton({
      repository: 'test/models',
      modelControl: 'explicit',
      loadModels: ['add-one'],
      extraArguments: flags,
    });
  });
  afterAll(() => triton.stop());

  it('refuses calls without the header that it wants, and says so', async () => {
    const stranger = remoteServer(triton.grpcPort, { metadata: { 'triton-grpc-protocol-conch-key': 'wrong' } });
    const refusal = readable(
      'UNAVAILABLE',
      "This protocol is restricted, expecting header 'triton-grpc-protocol-conch-key'",
    );
    expect(await errorOf(stranger.infer(addOne()))).toEqual(refusal);
    expect(await errorOf(batchesOf(pulled(stranger, addOne())))).toEqual(refusal);
    expect(await errorOf(stranger.call('RepositoryIndex', {}))).toEqual(refusal);
    expect(await stranger.call('ServerLive', {})).toEqual({ live: true });
    await stranger.close();
  });

  it('answers calls that carry it, from the channel or from the call, never compressed', async () => {
    const metadata = { 'triton-grpc-protocol-conch-key': 'open sesame' };
    const known = remoteServer(triton.grpcPort, { metadata });
    const stranger = remoteServer(triton.grpcPort);
    const inputs = [numbers(Array.from({ length: 5_000 }, () => 1))];
    const sums = numbers(Array.from({ length: 5_000 }, () => 2)).data;
    expect((await known.infer(addOne({ inputs }))).raw('sum')).toEqual(sums);
    expect((await stranger.infer(addOne({ inputs }), { metadata })).raw('sum')).toEqual(sums);
    const [[streamed] = []] = await batchesOf(pulled(stranger, addOne({ inputs }), { metadata }));
    expect(streamed?.raw('sum')).toEqual(sums);
    await Promise.all([known.close(), stranger.close()]);
  });

  it('loads and unloads models', async () => {
    const known = remoteServer(triton.grpcPort, { metadata: { 'triton-grpc-protocol-conch-key': 'open sesame' } });
    const entry = async () => {
      const { models } = await known.call('RepositoryIndex', {});
      return models.filter(({ name }) => name === 'add-two');
    };
    expect(await entry()).toEqual([{ name: 'add-two', version: '', state: '', reason: '' }]);
    expect(await known.call('RepositoryModelLoad', { model_name: 'add-two' })).toEqual({});
    expect(await entry()).toEqual([{ name: 'add-two', version: '1', state: 'READY', reason: '' }]);
    const config = JSON.stringify({ backend: 'python', max_batch_size: 0, input: [], output: [] });
    expect(
      await errorOf(
        known.call('RepositoryModelLoad', { model_name: 'nope', parameters: { config: { string_param: config } } }),
      ),
    ).toEqual(readable('INTERNAL', "failed to load 'nope', failed to poll from model repository"));
    const parameters = { unload_dependents: { bool_param: false } };
    expect(await known.call('RepositoryModelUnload', { model_name: 'add-two', parameters })).toEqual({});
    await expect.poll(entry).toEqual([{ name: 'add-two', version: '1', state: 'UNAVAILABLE', reason: 'unloaded' }]);
    await known.close();
  });
});
