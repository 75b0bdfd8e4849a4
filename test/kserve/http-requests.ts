import { deflateSync, gzipSync } from 'node:zlib';
import type { RawRequest } from './raw-request.ts';

const json = (value: unknown): string => JSON.stringify(value);
const int32 = (data: unknown, shape: unknown = [2]) => ({ name: 'INT32', datatype: 'INT32', shape, data });
const binaryInput = (name: string, datatype: string, size: unknown) => ({
  name,
  datatype,
  shape: [1],
  parameters: { binary_data_size: size },
});

function infer(body: unknown, headers: Record<string, string> = {}, model = 'identity'): RawRequest {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : json(body);
  return { path: `/v2/models/${model}/infer`, body: bytes, headers };
}

function withBlobs(head: unknown, blobs: Buffer, cut = 0): RawRequest {
  const text = Buffer.from(json(head));
  const body = Buffer.concat([text, blobs]);
  return infer(body.subarray(0, body.length - cut), { 'inference-header-content-length': String(text.length) });
}

const get = (path: string): RawRequest => ({ method: 'GET', path });
const post = (path: string, body?: unknown): RawRequest => ({ path, body: body === undefined ? '' : json(body) });

/** Paths, methods and what is not there. */
export const pathRequests: readonly RawRequest[] = [
  ...['/v2', '/v2/', '/', '/v2/health/live', '/v2/health/', '/v2/models', '/v2/models/stats/', '/v2/models//ready'].map(
    get,
  ),
  ...['', '/', '/ready', '/config', '/versions/1', '/versions/7', '/versions/x', '/versions/99999999999999999999'].map(
    (end) => get(`/v2/models/identity${end}`),
  ),
  ...['', '/ready', '/config', '/stats', '/trace/setting'].map((end) => get(`/v2/models/nope${end}`)),
  ...['accumulate', 'batched', 'repeat'].map((model) => get(`/v2/models/${model}/config`)),
  ...['/v2/models/ident%69ty', '/v2/models/a%20b', '/v2/models/identity?x=1'].map(get),
  ...['/v2/trace/setting', '/v2/models/identity/trace/setting', '/v2/models/identity/versions/1/trace/setting'].map(
    get,
  ),
  ...['/v2/logging', '/v2/systemsharedmemory/status', '/v2/cudasharedmemory/status'].map(get),
  ...['/v2/systemsharedmemory/region/x/status', '/v2/cudasharedmemory/region/x/status'].map(get),
  ...['/v2', '/v2/models/identity', '/v2/models/identity/ready', '/v2/health/live', '/nope'].map((path) => post(path)),
  ...['/v2/repository/index', '/v2/models/identity/infer', '/v2/models/identity/generate'].map(get),
  ...['PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((method) => ({ method, path: '/v2/logging' })),
];

/** Calls that change the server, or try to. */
export const controlRequests: readonly RawRequest[] = [
  ...[undefined, { ready: true }, { ready: 1 }].map((body) => post('/v2/repository/index', body)),
  post('/v2/repository/foo/index'),
  { path: '/v2/repository/index', body: '{' },
  ...[
    { parameters: { config: 1 } },
    { parameters: { zzz: '1' } },
    { parameters: 5 },
    { parameters: { config: '{' } },
  ].map((body) => post('/v2/repository/models/batched/load', body)),
  ...['load', 'unload'].map((action) => post(`/v2/repository/models/nope/${action}`)),
  post('/v2/repository/foo/models/nope/unload'),
  ...['system', 'cuda'].flatMap((kind) => [
    post(`/v2/${kind}sharedmemory/register`),
    post(`/v2/${kind}sharedmemory/region/a/register`, {}),
    post(`/v2/${kind}sharedmemory/region/q/unregister`),
    post(`/v2/${kind}sharedmemory/unregister`),
  ]),
  post('/v2/systemsharedmemory/region/a/register', { key: '/nope', byte_size: 10 }),
  post('/v2/cudasharedmemory/region/q/register', { raw_handle: { b64: 'AA' }, device_id: 0, byte_size: 3 }),
  ...[{ log_verbose_level: 0 }, { log_format: 'x' }, { log_file: '/x' }, { log_info: 3 }, { zzz: 1 }, []].map((body) =>
    post('/v2/logging', body),
  ),
  ...[{ trace_rate: '7' }, { trace_rate: null }, { trace_rate: 7 }, { trace_rate: 'x' }, { trace_file: 'x' }].map(
    (body) => post('/v2/trace/setting', body),
  ),
  ...[['OFF', 'TENSORS'], ['OFF'], ['FOO'], 'OFF', null].map((level) =>
    post('/v2/trace/setting', { trace_level: level }),
  ),
  ...[{ trace_count: '99999999999' }, { log_frequency: '5' }, { log_frequency: null }, undefined].map((body) =>
    post('/v2/trace/setting', body),
  ),
];

const malformed = [
  ['', ' ', '{}', '[]', '5', '{"inputs":5}', '{"inputs":[5]}', '{"inputs":[{}]}', '{"inputs":[{"data":[]}]}'],
  ['{"id":5,"inputs":[]}', '{"a":tru}', '{"a" 1}', '{"a":1 "b"}', '[1 2]', '{"a":"\\x"}', '{"a":"\\u12"}'],
  ['{"a":"\\ud800"}', '{"a":"abc', '{"a":"a\nb"}', '{"a":01}', '{"a":1.}', '{"a":1e}', '{"a":1e999}', '{"a":-}'],
  ['{"a":+1}', "{'a':1}", '{"a":1,}', '[1,]', 'nul', '\ufeff{}', '{"a":.5}', '{"a":1', '{"inputs":[]} x', '{"a":Inf}'],
].flat();

const parameters = [
  { custom: 'x', n: 5, f: 1.5, b: true, u: 1e300 },
  { x: null },
  { x: [1] },
  { triton_x: 1 },
  { sequence_id: 'abc' },
  { sequence_id: -1 },
  { sequence_start: 1 },
  { priority: -1 },
  { priority: 3 },
  { timeout: 'x' },
  { timeout: 5 },
  { binary_data_output: 1 },
  5,
];

/** Inference, well and badly asked for. */
export const inferRequests: readonly RawRequest[] = [
  infer({ inputs: [int32([1, 2])] }),
  infer({
    id: 'aä',
    inputs: [int32([[1], [2]]), { name: 'BYTES', datatype: 'BYTES', shape: [2], data: ['a\n\u0001\u001fä/"', '😀'] }],
  }),
  infer(
    '{"inputs":[{"name":"INT64","datatype":"INT64","shape":[2],"data":[-9223372036854775808,9223372036854775807]},' +
      '{"name":"UINT64","datatype":"UINT64","shape":[1],"data":[18446744073709551615]},' +
      '{"name":"UINT8","datatype":"UINT8","shape":[1],"data":[300]},{"name":"BOOL","datatype":"BOOL","shape":[1],"data":[true]},' +
      '{"name":"FP32","datatype":"FP32","shape":[4],"data":[0.1,1,1e30,-2.5]},' +
      '{"name":"FP64","datatype":"FP64","shape":[8],"data":[0.1,1e21,1e-7,5e-324,-0.0,NaN,Inf,-Infinity]}]}',
  ),
  infer(
    Buffer.from(
      '{"inputs":[{"name":"BYTES","datatype":"BYTES","shape":[1],"data":["\xff\\u00e4\\ud83d\\ude00\\u0000"]}]}',
      'latin1',
    ),
  ),
  ...[[1, 2.5], [1], [1, 2, 3], [1, 'x'], 5].map((data) => infer({ inputs: [int32(data)] })),
  ...[[0], [], [-1], [1, 1], 'x', ['x']].map((shape) => infer({ inputs: [int32([1], shape)] })),
  ...['INT64', 'FOO'].map((datatype) => infer({ inputs: [{ ...int32([1], [1]), datatype }] })),
  infer({ inputs: [{ name: 'FP16', datatype: 'FP16', shape: [1], data: [1] }] }),
  infer({ inputs: [{ ...int32([1], [1]), name: 'ZZZ' }] }),
  ...[['a'], ['a', 1]].map((data) => infer({ inputs: [{ name: 'BYTES', datatype: 'BYTES', shape: [2], data }] })),
  ...[
    { binary_data_size: 4 },
    { binary_data_size: '4' },
    { shared_memory_region: 'foo', shared_memory_byte_size: 4 },
  ].map((value) => infer({ inputs: [{ name: 'INT32', datatype: 'INT32', shape: [1], parameters: value }] })),
  infer({ inputs: [{ ...int32([1], [1]), parameters: { binary_data_size: 4 } }] }),
  ...[
    { shared_memory_region: 'foo', classification: 1 },
    { shared_memory_region: 'foo', shared_memory_byte_size: 4 },
    { binary_data: true },
    { binary_data: 1 },
    {},
  ].map((value) => infer({ inputs: [int32([1], [1])], outputs: [{ name: 'INT32', parameters: value }] })),
  infer({ inputs: [int32([1], [1])], outputs: [{ name: 'NOPE' }] }),
  infer({ inputs: [int32([1], [1])], outputs: [] }),
  infer({ inputs: [int32([1], [1])], parameters: { binary_data_output: true } }),
  infer({ inputs: [int32([1], [1])], outputs: [{ name: 'INT32' }], parameters: { binary_data_output: true } }),
  ...parameters.map((value) =>
    infer({ parameters: value, inputs: [int32([1], [1])], outputs: [{ name: 'parameters' }, { name: 'INT32' }] }),
  ),
  ...malformed.map((body) => infer(body)),
  ...['repeat', 'nope', 'broken', 'identity/versions/9'].map((model) => infer('{', {}, model)),
  ...['repeat', 'nope'].map((model) => infer({ inputs: [] }, {}, model)),
];

const scores = { inputs: [{ name: 'VALUES', datatype: 'FP32', shape: [2, 3], data: [1, 3, 2, 9, 8, 7] }] };
const blobs = Buffer.from([1, 0, 0, 0, 1, 0, 0, 0, 0x7a]);
const blobHead = {
  inputs: [binaryInput('INT32', 'INT32', 4), binaryInput('BYTES', 'BYTES', 5)],
  outputs: [
    { name: 'INT32', parameters: { binary_data: true } },
    { name: 'BYTES', parameters: { binary_data: true } },
  ],
};

/** Inference with bytes behind the JSON or in its place, compressed, in batches and as classes. */
export const binaryRequests: readonly RawRequest[] = [
  withBlobs(blobHead, blobs),
  withBlobs(blobHead, blobs, 1),
  withBlobs(blobHead, Buffer.concat([blobs, blobs])),
  ...['99999', '-1', 'abc'].map((length) => infer(blobs, { 'inference-header-content-length': length })),
  ...[Buffer.alloc(12, 1), Buffer.alloc(24, 1), Buffer.alloc(0)].map((body) =>
    infer(body, { 'inference-header-content-length': '0' }, 'batched'),
  ),
  infer(gzipSync(json(scores)), { 'content-encoding': 'gzip' }, 'batched'),
  infer(deflateSync(json(scores)), { 'content-encoding': 'deflate' }, 'batched'),
  infer(scores, { 'content-encoding': 'br' }, 'batched'),
  infer(scores, { 'accept-encoding': 'identity, gzip' }, 'batched'),
  ...[[1, 3], [5, 3], [1, 4], [3]].map((shape) => {
    const count = shape.reduce((product, dimension) => product * dimension, 1);
    return infer({ inputs: [{ ...scores.inputs[0], shape, data: Array(count).fill(1) }] }, {}, 'batched');
  }),
  ...[2, 20, 0, -1].map((classification) =>
    infer({ ...scores, outputs: [{ name: 'SCORES', parameters: { classification } }] }, {}, 'batched'),
  ),
  infer(
    { ...scores, outputs: [{ name: 'SCORES', parameters: { classification: 2, binary_data: true } }] },
    {},
    'batched',
  ),
  infer({ inputs: [] }, {}, 'batched'),
  infer({ inputs: [scores.inputs[0], scores.inputs[0]] }, {}, 'batched'),
];

const generated: readonly (readonly [model: string, body: unknown])[] = [
  ...[0, 1, 2].map((count) => ['repeat', { COUNT: count }] as const),
  ['repeat', { COUNT: 1, id: 'q7' }],
  ...['NOT_FOUND', 'INVALID_ARG', 'UNAVAILABLE'].map(
    (code) => ['repeat', { COUNT: 0, FAULT: [code, 'gone ä'] }] as const,
  ),
  ['repeat', { COUNT: 2, FAULT: ['INTERNAL', 'later'] }],
  ...[[1, 2], [], 'x', null].map((count) => ['repeat', { COUNT: count }] as const),
  ...['', '{', '[]', '5', {}].map((body) => ['repeat', body] as const),
  ['repeat', { COUNT: 1, parameters: 5 }],
  ['repeat', { parameters: { COUNT: 1, zz: 3 } }],
  ['repeat', { COUNT: 1, parameters: { zz: [] } }],
  ['repeat', { COUNT: 1, zz: null }],
  ['repeat', { COUNT: 1, id: 7 }],
  ['repeat/versions/2', { COUNT: 1 }],
  ['repeat/versions/1', { COUNT: 1 }],
  ['nope', '{'],
  ['broken', {}],
  ...[[1, 2, 3], [1, 2, 3, 4, 5, 6], 1, [[1, 2, 3]], [1, 2]].map((values) => ['batched', { VALUES: values }] as const),
  ['identity', { INT32: [1, 2], BYTES: 'hi "ä"', BOOL: true, zz: 'p', n: 1, f: 1.5, id: 'abc' }],
  ...[{ BYTES: [] }, { BYTES: ['a', 'b'] }, { FP16: 1 }, { INT32: 1.5 }, { BYTES: {} }].map(
    (body) => ['identity', body] as const,
  ),
];

/** The JSON interface for language models, whole and streamed. */
export const generateRequests: readonly RawRequest[] = ['generate', 'generate_stream'].flatMap((action) => [
  ...generated.map(([model, body]) => ({
    path: `/v2/models/${model}/${action}`,
    body: typeof body === 'string' ? body : json(body),
  })),
  { path: `/v2/models/repeat/${action}`, body: json({ COUNT: 1 }), headers: { 'content-encoding': 'gzip' } },
  { path: `/v2/models/repeat/${action}`, body: json({ COUNT: 1 }), headers: { 'accept-encoding': 'gzip' } },
]);
