import { once } from 'node:events';
import { ApiError } from '../../errors.ts';
import { parseJson } from '../../kserve/json-parse.ts';
import { bytesOf } from '../../kserve/json-value.ts';
import type { InferResponse } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { isRefusal } from '../../kserve/stream-fault.ts';
import { type Answer, codeOfStatus, errorJson, httpStatus, jsonType } from './answer.ts';
import { generateEvent } from './generate-answer.ts';
import { generateRequest } from './generate-request.ts';
import { QueueFull } from './queue-full.ts';
import { type Exchange, modelOf, modelPath, type Route } from './route.ts';

/** POST …/generate and …/generate_stream: keys in, keys out, for any kind of model. */
export const generateRoutes: readonly Route[] = [post('/generate', generate), post('/generate_stream', generateStream)];

function post(end: string, answer: Route['answer']): Route {
  return { path: modelPath(end), methods: ['POST'], api: 'inference', contentType: jsonType, answer };
}

async function generate(exchange: Exchange): Promise<Answer | undefined> {
  const events: string[] = [];
  let status = 200;
  for await (const batch of outcomes(await begin(exchange)))
    for (const outcome of batch) {
      if (events.length === 0) status = outcome.status;
      events.push(outcome.json);
    }
  const [only] = events;
  const isSingle = events.length === 1 && only !== undefined;
  // Triton begins its answer with the first response, before it knows whether there will be more: so it is chunked.
  const { reply } = exchange;
  reply.hijack();
  if (exchange.signal.aborted) return undefined;
  exchange.request.faultCode = codeOfStatus(status);
  reply.code(status).raw.writeHead(status, { ...ownHeaders(reply), 'content-type': jsonType });
  reply.raw.write(isSingle ? only : errorJson(notOne), 'latin1');
  reply.raw.end();
  return undefined;
}

const notOne =
  'generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses';

async function generateStream(exchange: Exchange): Promise<Answer | undefined> {
  const { reply, signal } = exchange;
  const batches = outcomes(await begin(exchange));
  try {
    let result = await batches.next();
    reply.hijack();
    if (signal.aborted) return undefined;
    const status = result.done ? 200 : (result.value[0]?.status ?? 200);
    exchange.request.faultCode = codeOfStatus(status);
    reply
      .code(status)
      .raw.writeHead(status, { ...ownHeaders(reply), 'content-type': 'text/event-stream; charset=utf-8' });
    for (; !result.done && !signal.aborted; result = await batches.next()) {
      const text = result.value.map(({ json }) => `data: ${json}\n\n`).join('');
      if (!reply.raw.write(bytesOf(text))) await drained(exchange);
    }
    if (signal.reason instanceof ApiError) reply.raw.write(`data: ${errorJson(signal.reason.message)}\n\n`);
    reply.raw.end();
  } finally {
    await batches.return(undefined);
  }
  return undefined;
}

function ownHeaders(reply: Exchange['reply']): Record<string, string> {
  return reply.getHeaders() as Record<string, string>;
}

async function drained({ reply, signal }: Exchange): Promise<void> {
  await once(reply.raw, 'drain', { signal }).catch(() => undefined);
}

async function begin(exchange: Exchange): Promise<AsyncIterable<InferResponse[]>> {
  const { server, request, body, signal } = exchange;
  const model = modelOf(exchange);
  const metadata = await server.call('ModelMetadata', model, { signal });
  const encoding = request.headers['content-encoding'];
  if (encoding && encoding !== 'identity')
    throw new StatusError('INVALID_ARGUMENT', "Unsupported content-encoding, only 'identity' is supported.");
  return server.stream(generateRequest(parseJson(body), metadata, model.version), {
    signal,
    metadata: request.watch.context,
  });
}

/** What one response comes to: its JSON, and the status that it would give the whole answer. */
interface Outcome {
  readonly status: number;
  readonly json: string;
}

/** The responses as JSON. A failure of the model is an outcome too; a request that was never begun throws. */
async function* outcomes(stream: AsyncIterable<InferResponse[]>): AsyncGenerator<Outcome[]> {
  let isBegun = false;
  try {
    for await (const batch of stream) {
      isBegun = true;
      yield batch.map(outcomeOf);
    }
  } catch (error) {
    if (!(error instanceof StatusError) || error instanceof QueueFull || (!isBegun && isRefusal(error))) throw error;
    yield [failed(error)];
  }
}

function outcomeOf(response: InferResponse): Outcome {
  try {
    return { status: 200, json: generateEvent(response) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return failed(error);
  }
}

function failed(error: StatusError): Outcome {
  return { status: httpStatus(error.code), json: errorJson(error.message) };
}
