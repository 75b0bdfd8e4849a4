/**
 * The baseline: a gateway written the ordinary way, with node:http, @grpc/grpc-js, @grpc/proto-loader and an object per token. It does what a
 * chat needs and no more: no keys, no metrics, no log, no parsers.
 *
 *   node bench/grpcjs-gateway.mjs --triton 127.0.0.1:8001 --host 127.0.0.1 --port 9000 --chat-template FILE
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { Template } from '@huggingface/jinja';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/**
 * As proto-loader makes them.
 * @typedef {{ name: string }} OutputTensor
 * @typedef {{ outputs: OutputTensor[], raw_output_contents: Buffer[], parameters?: Record<string, { bool_param?: boolean }> }} InferResponse
 * @typedef {{ error_message: string, infer_response?: InferResponse }} StreamResponse
 * @typedef {{ model: string, stream?: boolean, max_tokens?: number, messages: { role: string, content: string }[] }} ChatRequest
 */

const { values } = parseArgs({
  options: {
    triton: { type: 'string', default: '127.0.0.1:8001' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '9000' },
    'chat-template': { type: 'string', default: fileURLToPath(new URL('chat-template.jinja', import.meta.url)) },
  },
});
const template = new Template(readFileSync(values['chat-template'], 'utf8'));
/** With the options of gRPC's own tutorial for Node. */
const definition = loadSync(fileURLToPath(new URL('../proto/grpc_service.proto', import.meta.url)), {
  keepCase: true,
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
});
const { inference } = /** @type {any} */ (grpc.loadPackageDefinition(definition));
const triton = new inference.GRPCInferenceService(values.triton, grpc.credentials.createInsecure());

/** @param {string} text */
function textTensor(text) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}

const YES = Buffer.from([1]);
const OUTPUTS = ['text_output', 'finish_reason', 'num_input_tokens'];

/** @param {ChatRequest} chat */
function inferRequest(chat) {
  const prompt = template.render({ messages: chat.messages, add_generation_prompt: true });
  const sampling = JSON.stringify({ max_tokens: chat.max_tokens ?? 16 });
  /** @type {[string, string, Buffer][]} */
  const inputs = [
    ['text_input', 'BYTES', textTensor(prompt)],
    ['stream', 'BOOL', YES],
    ['exclude_input_in_output', 'BOOL', YES],
    ['sampling_parameters', 'BYTES', textTensor(sampling)],
    ['return_finish_reason', 'BOOL', YES],
    ['return_num_input_tokens', 'BOOL', YES],
  ];
  return {
    model_name: chat.model,
    id: randomUUID(),
    parameters: { triton_enable_empty_final_response: { bool_param: true } },
    inputs: inputs.map(([name, datatype]) => ({ name, datatype, shape: [1] })),
    outputs: OUTPUTS.map((name) => ({ name })),
    raw_input_contents: inputs.map(([, , raw]) => raw),
  };
}

/**
 * @param {InferResponse} response
 * @param {string} name
 */
function textOf(response, name) {
  const index = response.outputs?.findIndex((output) => output.name === name) ?? -1;
  return index < 0 ? '' : (response.raw_output_contents[index]?.toString('utf8', 4) ?? '');
}

/**
 * @param {ServerResponse} res
 * @param {number} status
 * @param {unknown} body
 */
function respond(res, status, body) {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** @typedef {{ onToken: (text: string) => void, onEnd: (finish: string) => void, onError: (message: string) => void }} Reader */

/**
 * Asks Triton for a stream, and cancels it when the client has disconnected.
 * @param {ChatRequest} chat
 * @param {ServerResponse} res
 * @param {Reader} reader
 */
function inferChat(chat, res, { onToken, onEnd, onError }) {
  const call = triton.ModelStreamInfer();
  /** @param {string} message */
  const fail = (message) => {
    onError(message);
    call.cancel();
  };
  res.on('close', () => {
    if (!res.writableEnded) call.cancel();
  });
  call.on('data', (/** @type {StreamResponse} */ { error_message: error, infer_response: response }) => {
    if (error || response === undefined) return fail(error);
    onToken(textOf(response, 'text_output'));
    if (response.parameters?.['triton_final_response']?.bool_param) onEnd(textOf(response, 'finish_reason'));
  });
  call.on('error', (/** @type {Error} */ error) => {
    if (!res.writableEnded && !res.destroyed) fail(error.message);
  });
  call.write(inferRequest(chat));
  call.end();
}

/**
 * @param {ChatRequest} chat
 * @param {string} object
 */
const headOf = (chat, object) => ({
  id: `chatcmpl-${randomUUID()}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model: chat.model,
});

/**
 * @param {ChatRequest} chat
 * @param {ServerResponse} res
 */
function streamChat(chat, res) {
  const head = headOf(chat, 'chat.completion.chunk');
  /**
   * @param {{ role?: string, content?: string }} delta
   * @param {string | null} finish
   */
  const event = (delta, finish) => {
    const chunk = { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  };
  const begin = () => {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    res.write(event({ role: 'assistant', content: '' }, null));
  };
  inferChat(chat, res, {
    onToken: (text) => {
      if (!res.headersSent) begin();
      if (text !== '') res.write(event({ content: text }, null));
    },
    onEnd: (finish) => {
      res.write(event({}, finish));
      res.end('data: [DONE]\n\n');
    },
    onError: (message) => {
      if (res.headersSent) res.end(`data: ${JSON.stringify({ error: { message } })}\n\n`);
      else respond(res, 502, { error: { message } });
    },
  });
}

/**
 * @param {ChatRequest} chat
 * @param {ServerResponse} res
 */
function collectChat(chat, res) {
  let content = '';
  inferChat(chat, res, {
    onToken: (text) => {
      content += text;
    },
    onEnd: (finish) => {
      const message = { role: 'assistant', content };
      const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
      respond(res, 200, { ...headOf(chat, 'chat.completion'), choices });
    },
    onError: (message) => respond(res, 502, { error: { message } }),
  });
}

/**
 * @param {IncomingMessage} req
 * @returns {Promise<ChatRequest>}
 */
async function readBody(req) {
  const parts = [];
  for await (const part of req) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

/**
 * @param {IncomingMessage} req
 * @param {ServerResponse} res
 */
async function serve(req, res) {
  if (req.method === 'GET' && req.url === '/health/ready') {
    triton.ServerReady({}, (/** @type {Error | null} */ error, /** @type {{ ready?: boolean }} */ state) =>
      respond(res, !error && state.ready ? 200 : 503, {}),
    );
  } else if (req.method === 'GET' && req.url === '/v1/models') {
    triton.RepositoryIndex(
      {},
      (/** @type {Error | null} */ error, /** @type {{ models?: { name: string }[] }} */ index) =>
        respond(res, error ? 503 : 200, {
          object: 'list',
          data: index?.models?.map(({ name }) => ({ id: name })) ?? [],
        }),
    );
  } else if (req.method === 'POST' && req.url === '/v1/chat/completions') {
    const chat = await readBody(req);
    if (Array.isArray(chat.messages)) (chat.stream ? streamChat : collectChat)(chat, res);
    else respond(res, 400, { error: { message: 'messages is missing: the baseline knows nothing but chats.' } });
  } else {
    respond(res, 404, { error: { message: `There is no ${req.method} ${req.url}.` } });
  }
}

createServer((req, res) => {
  serve(req, res).catch((/** @type {Error} */ error) => respond(res, 400, { error: { message: error.message } }));
}).listen(Number(values.port), values.host);
