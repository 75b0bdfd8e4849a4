import { StatusError } from '../../kserve/status.ts';
import { decodedBody, encodedBody } from './compression.ts';
import { binaryType, HttpError, type HttpResponse, jsonType, plainType } from './http-response.ts';
import { inferOnce } from './infer-once.ts';
import { type ParsedInfer, parseInfer } from './infer-request.ts';
import { encodeResponse } from './infer-response.ts';
import { QueueFull } from './queue-full.ts';
import { rawInfer } from './raw-infer.ts';
import { type Exchange, modelOf, modelPath, type Route } from './route.ts';

/** POST …/infer: one request, one response. */
export const inferRoute: Route = {
  path: modelPath('/infer'),
  methods: ['POST'],
  api: 'inference',
  // Triton sets the content type only once it has found the model.
  contentType: plainType,
  respond: (exchange) =>
    infer(exchange).catch((error: unknown) => {
      throw error instanceof StatusError ? asHttp(error) : error;
    }),
};

const lengthHeader = 'Inference-Header-Content-Length';

async function infer(exchange: Exchange): Promise<HttpResponse> {
  const { request, encodingOf } = await parse(exchange);
  const { context: metadata } = exchange.request.watch;
  const response = await inferOnce(exchange.server, request, { signal: exchange.signal, metadata });
  const { json, blobs } = encodeResponse(response, encodingOf);
  const isBinary = blobs.length > 0;
  const whole = isBinary ? Buffer.concat([json, ...blobs]) : json;
  const { body, headers } = await encodedBody(whole, exchange.request.headers['accept-encoding']);
  return {
    status: 200,
    contentType: isBinary ? binaryType : jsonType,
    headers: { ...(isBinary ? { [lengthHeader]: String(json.length) } : {}), ...headers },
    body,
  };
}

/** Triton looks up the model before it checks the body. Conch does so only for an invalid body. */
async function parse(exchange: Exchange): Promise<ParsedInfer> {
  try {
    return await parseBody(exchange);
  } catch (error) {
    await checkModel(exchange);
    throw error;
  }
}

async function parseBody(exchange: Exchange): Promise<ParsedInfer> {
  const { headers } = exchange.request;
  const body = await decodedBody(exchange.body, headers['content-encoding'], exchange.maxInputSize);
  const headerLength = lengthOfHeader(headers[lengthHeader.toLowerCase()], body.length);
  const { name: model, version } = modelOf(exchange);
  if (headerLength > 0) return parseInfer({ body, headerLength, model, version });
  const { config } = await exchange.server.call('ModelConfig', modelOf(exchange), { signal: exchange.signal });
  return rawInfer(body, config, version);
}

/** The length of the JSON part. Without the header, the whole body is JSON; a header that is no number counts as 0. */
function lengthOfHeader(header: string | string[] | undefined, bodyLength: number): number {
  if (header === undefined) return bodyLength;
  const text = String(header);
  const length = Number.parseInt(text, 10) || 0;
  if (length < 0 || length > bodyLength)
    throw new HttpError(
      new StatusError('INVALID_ARGUMENT', `inference header size should be in range (0, ${bodyLength}), got: ${text}`),
      plainType,
    );
  return length;
}

async function checkModel(exchange: Exchange): Promise<void> {
  const { config } = await exchange.server.call('ModelConfig', modelOf(exchange), { signal: exchange.signal });
  if (config.model_transaction_policy?.decoupled) throw decoupled();
}

/** For decoupled models, the message of Triton's HTTP frontend. */
function asHttp(error: StatusError): StatusError {
  if (error instanceof HttpError || error instanceof QueueFull || error.message.startsWith('Request for unknown model'))
    return error;
  return isAboutDecoupled(error) ? decoupled() : new HttpError(error, jsonType);
}

function isAboutDecoupled({ code, message }: StatusError): boolean {
  return code === 'UNIMPLEMENTED' && message.includes('decoupled');
}

function decoupled(): HttpError {
  return new HttpError(
    new StatusError('UNIMPLEMENTED', "HTTP end point doesn't support models with decoupled transaction policy"),
    plainType,
  );
}
