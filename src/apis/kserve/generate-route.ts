import { ApiError } from '../../errors.ts';
import { ClientOutput } from '../../http/client-output.ts';
import { untilEnd } from '../../kserve/awaited-responses.ts';
import { parseJson } from '../../kserve/json-parse.ts';
import type { InferRequest, InferResponse, ResponseSink, RunningInference } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { isRefusal } from '../../kserve/stream-refusal.ts';
import type { Signal } from '../../signal.ts';
import { generateEvent } from './generate-event.ts';
import { generateRequest } from './generate-request.ts';
import { codeOfStatus, errorJson, type HttpResponse, httpStatus, jsonType } from './http-response.ts';
import { QueueFull } from './queue-full.ts';
import { type Exchange, modelOf, modelPath, type Route } from './route.ts';

/** POST …/generate and …/generate_stream: keys in, keys out, for any kind of model. */
export const generateRoutes: readonly Route[] = [post('/generate', generate), post('/generate_stream', generateStream)];

function post(end: string, respond: Route['respond']): Route {
  return { path: modelPath(end), methods: ['POST'], api: 'inference', contentType: jsonType, respond };
}

async function generate(exchange: Exchange): Promise<HttpResponse | undefined> {
  const request = await requestOf(exchange);
  const outcomes: Outcome[] = [];
  await untilEnd(
    (sink) => begin(exchange, request, sink),
    (response) => outcomes.push(outcomeOf(response)),
  ).catch((error: unknown) => outcomes.push(outcomeOfError(error, outcomes.length > 0)));
  const [only] = outcomes;
  const status = only?.status ?? 200;
  // Triton starts its HTTP response with the first inference response, before it knows of others: so it is chunked.
  const { reply } = exchange;
  reply.hijack();
  if (exchange.signal.aborted) return undefined;
  exchange.request.errorCode = codeOfStatus(status);
  reply.code(status).raw.writeHead(status, { ...ownHeaders(reply), 'content-type': jsonType });
  reply.raw.write(only && outcomes.length === 1 ? only.json : errorJson(notOne), 'latin1');
  reply.raw.end();
  return undefined;
}

const notOne =
  'generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses';

async function generateStream(exchange: Exchange): Promise<HttpResponse | undefined> {
  const request = await requestOf(exchange);
  await new Promise<void>((resolve, reject) => {
    new OutcomeStream(exchange, { resolve, reject }).start(request);
  });
  return undefined;
}

interface PromiseCallbacks {
  resolve(): void;
  reject(error: unknown): void;
}

/** Writes the responses of an inference as server-sent events. The status is that of the first. */
class OutcomeStream implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #callbacks: PromiseCallbacks;
  readonly #output: ClientOutput;
  #running: RunningInference | undefined;
  #isOpen = false;

  constructor(exchange: Exchange, callbacks: PromiseCallbacks) {
    this.#exchange = exchange;
    this.#callbacks = callbacks;
    this.#output = new ClientOutput(exchange.reply.raw, { source: () => this.#running, encoding: 'latin1' });
  }

  start(request: InferRequest): void {
    this.#running = begin(this.#exchange, request, this);
  }

  response(response: InferResponse): void {
    this.#write(outcomeOf(response));
  }

  end(error?: unknown): void {
    const { signal } = this.#exchange;
    try {
      if (error !== undefined) {
        const failure = outcomeOfError(error, this.#isOpen);
        if (!signal.aborted) this.#write(failure);
      }
      this.#close(signal);
    } catch (writeError) {
      this.#output.close();
      this.#callbacks.reject(writeError);
    }
  }

  #write({ status, json }: Outcome): void {
    if (!this.#isOpen) this.#open(status);
    this.#output.append(`data: ${json}\n\n`);
  }

  #close({ aborted, reason }: Signal): void {
    if (aborted && !this.#isOpen) this.#exchange.reply.hijack();
    else {
      if (!this.#isOpen) this.#open(200);
      this.#output.end(reason instanceof ApiError ? `data: ${errorJson(reason.message)}\n\n` : '');
    }
    this.#callbacks.resolve();
  }

  #open(status: number): void {
    const { reply, request } = this.#exchange;
    this.#isOpen = true;
    reply.hijack();
    request.errorCode = codeOfStatus(status);
    reply
      .code(status)
      .raw.writeHead(status, { ...ownHeaders(reply), 'content-type': 'text/event-stream; charset=utf-8' });
  }
}

function ownHeaders(reply: Exchange['reply']): Record<string, string> {
  return reply.getHeaders() as Record<string, string>;
}

async function requestOf(exchange: Exchange): Promise<InferRequest> {
  const { server, request, body, signal } = exchange;
  const model = modelOf(exchange);
  const metadata = await server.call('ModelMetadata', model, { signal });
  const encoding = request.headers['content-encoding'];
  if (encoding && encoding !== 'identity')
    throw new StatusError('INVALID_ARGUMENT', "Unsupported content-encoding, only 'identity' is supported.");
  return generateRequest(parseJson(body), metadata, model.version);
}

function begin({ server, request, signal }: Exchange, inference: InferRequest, sink: ResponseSink): RunningInference {
  return server.stream(inference, sink, { signal, metadata: request.watch.context });
}

/** One inference response: its JSON, and the HTTP status if it is the first. */
interface Outcome {
  readonly status: number;
  readonly json: string;
}

/** A failure of the model is an outcome too. The failure of a request that never started is thrown. */
function outcomeOfError(error: unknown, hasStarted: boolean): Outcome {
  if (!(error instanceof StatusError) || error instanceof QueueFull || (!hasStarted && isRefusal(error))) throw error;
  return failed(error);
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
