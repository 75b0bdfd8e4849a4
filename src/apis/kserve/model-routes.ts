import { binaryOf } from '../../kserve/json-value.ts';
import type { Writable } from '../../kserve/json-write.ts';
import { configToJson } from '../../kserve/message-json.ts';
import type { ModelStatistics, TensorMetadata } from '../../kserve/messages.ts';
import { type HttpResponse, jsonResponse, jsonType } from './http-response.ts';
import { type Exchange, modelOf, modelPath, type Route } from './route.ts';

/** Metadata, configuration and statistics of the server and its models. */
export const modelRoutes: readonly Route[] = [
  get(/^\/v2\/models\/stats$/, statistics),
  get(/^\/v2$/, async ({ server, signal }) => {
    const { name, version, extensions } = await server.call('ServerMetadata', {}, { signal });
    return { name: binaryOf(name), version: binaryOf(version), extensions: extensions.map(binaryOf) };
  }),
  get(modelPath(''), async (exchange) => {
    const metadata = await exchange.server.call('ModelMetadata', modelOf(exchange), { signal: exchange.signal });
    return {
      name: binaryOf(metadata.name),
      versions: metadata.versions,
      platform: binaryOf(metadata.platform),
      inputs: metadata.inputs.map(tensorJson),
      outputs: metadata.outputs.map(tensorJson),
    };
  }),
  get(modelPath('/config'), async (exchange) => {
    const { config } = await exchange.server.call('ModelConfig', modelOf(exchange), { signal: exchange.signal });
    return configToJson(config);
  }),
  get(modelPath('/stats'), statistics),
];

function get(path: RegExp, read: (exchange: Exchange) => Promise<Writable>): Route {
  const respond = async (exchange: Exchange): Promise<HttpResponse> => jsonResponse(await read(exchange));
  return { path, methods: ['GET'], contentType: jsonType, respond };
}

async function statistics(exchange: Exchange): Promise<Writable> {
  const { model_stats } = await exchange.server.call('ModelStatistics', modelOf(exchange), {
    signal: exchange.signal,
  });
  return { model_stats: model_stats.map(statisticsJson) };
}

function tensorJson({ name, datatype, shape }: TensorMetadata): Writable {
  return { name: binaryOf(name), datatype, shape };
}

const inferenceDurations = [
  'success',
  'fail',
  'queue',
  'compute_input',
  'compute_infer',
  'compute_output',
  'cache_hit',
  'cache_miss',
];
const responseDurations = ['compute_infer', 'compute_output', 'success', 'fail', 'empty_response', 'cancel'];
const batchDurations = ['compute_input', 'compute_infer', 'compute_output'];

function statisticsJson(statistics: ModelStatistics): Writable {
  const responses = Object.entries(statistics.response_stats);
  return {
    name: binaryOf(statistics.name),
    version: statistics.version,
    last_inference: statistics.last_inference,
    inference_count: statistics.inference_count,
    execution_count: statistics.execution_count,
    inference_stats: durations(statistics.inference_stats, inferenceDurations),
    response_stats: Object.fromEntries(responses.map(([index, held]) => [index, durations(held, responseDurations)])),
    batch_stats: statistics.batch_stats.map((batch) => ({
      batch_size: batch.batch_size,
      ...durations(batch, batchDurations),
    })),
    memory_usage: statistics.memory_usage.map(({ type, id, byte_size }) => ({ type, id, byte_size })),
  };
}

function durations(held: object | undefined, names: readonly string[]): Record<string, Writable> {
  const known = (held ?? {}) as Record<string, { count: number; ns: number } | undefined>;
  return Object.fromEntries(names.map((name) => [name, { count: known[name]?.count ?? 0, ns: known[name]?.ns ?? 0 }]));
}
