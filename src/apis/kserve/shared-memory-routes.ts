import { parseJson } from '../../kserve/json-parse.ts';
import {
  asString,
  asUnsigned,
  binaryOf,
  bytesOf,
  find,
  type JsonValue,
  member,
  textOf,
} from '../../kserve/json-value.ts';
import type { Writable } from '../../kserve/json-write.ts';
import { StatusError } from '../../kserve/status.ts';
import { emptyResponse, type HttpResponse, jsonResponse, jsonType } from './http-response.ts';
import type { Exchange, Route } from './route.ts';
import { sharedMemoryRefused } from './shared-memory.ts';

/** Shared memory of the system and of GPUs. */
export const sharedMemoryRoutes: readonly Route[] = [
  route('system', 'status', 'GET', async ({ server, names, signal }) => {
    const { regions } = await server.call('SystemSharedMemoryStatus', { name: names['region'] ?? '' }, { signal });
    return regionsResponse(regions, ({ name, key, offset, byte_size }) => ({
      name: binaryOf(name),
      key: binaryOf(key),
      offset,
      byte_size,
    }));
  }),
  route('system', 'register', 'POST', async ({ server, names, body, signal }) => {
    const name = regionName(names['region'], 'system');
    const json = parseJson(body);
    const key = textOf(asString(needed(json, 'key')));
    const offset = find(json, 'offset');
    const request = {
      name,
      key,
      offset: offset === undefined ? 0 : Number(asUnsigned(offset)),
      byte_size: Number(asUnsigned(needed(json, 'byte_size'))),
    };
    await server.call('SystemSharedMemoryRegister', request, { signal });
    return emptyResponse(jsonType);
  }),
  route('system', 'unregister', 'POST', async ({ server, names, signal }) => {
    await server.call('SystemSharedMemoryUnregister', { name: names['region'] ?? '' }, { signal });
    return emptyResponse(jsonType);
  }),
  route('cuda', 'status', 'GET', async ({ server, names, signal }) => {
    const { regions } = await server.call('CudaSharedMemoryStatus', { name: names['region'] ?? '' }, { signal });
    return regionsResponse(regions, ({ name, device_id, byte_size }) => ({
      name: binaryOf(name),
      device_id,
      byte_size,
    }));
  }),
  route('cuda', 'register', 'POST', async ({ server, names, body, signal }) => {
    const name = regionName(names['region'], 'cuda');
    const json = parseJson(body);
    const handle = asString(member(needed(json, 'raw_handle'), 'b64'));
    const byteSize = Number(asUnsigned(member(json, 'byte_size')));
    const deviceId = Number(asUnsigned(member(json, 'device_id')));
    const request = { name, raw_handle: cudaHandle(handle), device_id: deviceId, byte_size: byteSize };
    await server.call('CudaSharedMemoryRegister', request, { signal });
    return emptyResponse(jsonType);
  }),
  route('cuda', 'unregister', 'POST', async ({ server, names, signal }) => {
    await server.call('CudaSharedMemoryUnregister', { name: names['region'] ?? '' }, { signal });
    return emptyResponse(jsonType);
  }),
];

type Kind = 'system' | 'cuda';

function route(
  kind: Kind,
  action: string,
  method: 'GET' | 'POST',
  respond: (exchange: Exchange) => Promise<HttpResponse>,
): Route {
  return {
    path: new RegExp(`^/v2/${kind}sharedmemory(?:/region/(?<region>[^/]+))?/${action}$`),
    methods: [method],
    contentType: jsonType,
    respond: async (exchange) => {
      if (!exchange.sharedMemory) throw sharedMemoryRefused();
      return respond(exchange);
    },
  };
}

function regionsResponse<Region>(
  regions: Readonly<Record<string, Region>>,
  toJson: (region: Region) => Writable,
): HttpResponse {
  return jsonResponse(Object.values(regions).map(toJson));
}

function regionName(name: string | undefined, kind: Kind): string {
  if (name !== undefined) return name;
  throw invalid(`'region name' is necessary to register ${kind} shared memory region`);
}

function needed(json: JsonValue, name: string): JsonValue {
  const found = find(json, name);
  if (found === undefined) throw invalid(`Shared memory register request has no '${name}' field`);
  return found;
}

/** The size of a cudaIpcMemHandle_t. */
const handleSize = 64;

function cudaHandle(base64: string): Buffer {
  const handle = Buffer.from(bytesOf(base64).toString(), 'base64');
  if (handle.length !== handleSize) throw invalid("'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t");
  return handle;
}

function invalid(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}
