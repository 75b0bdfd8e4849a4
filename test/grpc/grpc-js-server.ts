import { setTimeout as pause } from 'node:timers/promises';
import {
  type ChannelOptions,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceClientConstructor,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { inRoot } from '../support/environment.ts';
import type { Certificate } from './certificates.ts';

interface Request {
  readonly model_name: string;
  readonly id: string;
  readonly raw_input_contents: readonly Buffer[];
}
type Stream = ServerDuplexStream<Request, object>;

/** What a request to the toy may ask for: some of what the toy of the real server knows. */
interface Directive {
  readonly tokens?: number;
  readonly delay_ms?: number;
  readonly hold_at?: number;
  readonly error_at?: number;
  readonly error_text?: string;
  readonly tag?: string;
  readonly count_of?: string;
  readonly until?: string;
}

export interface GrpcJsServer {
  readonly port: number;
  /** Says goodbye, and waits for the calls that run. */
  readonly stop: () => Promise<void>;
  /** Ends at once. */
  readonly kill: () => void;
}

/** A server of grpc-js with the models `add-one` and `vllm-toy`, which answer as those of the real server. */
export async function grpcJsServer(
  options: { readonly port?: number; readonly channel?: ChannelOptions; readonly certificate?: Certificate } = {},
): Promise<GrpcJsServer> {
  const definition = loadSync('grpc_service.proto', {
    includeDirs: [inRoot('proto')],
    keepCase: true,
    longs: Number,
    defaults: true,
  });
  const loaded = loadPackageDefinition(definition)['inference'] as Record<string, ServiceClientConstructor>;
  const server = new Server(options.channel);
  const service = loaded['GRPCInferenceService']?.service;
  if (!service) throw new Error('proto/grpc_service.proto describes no GRPCInferenceService');
  server.addService(service, new Models().methods());
  const { certificate } = options;
  const credentials = certificate
    ? ServerCredentials.createSsl(null, [{ private_key: certificate.key, cert_chain: certificate.cert }])
    : ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${options.port ?? 0}`, credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    port,
    stop: () => new Promise((resolve, reject) => server.tryShutdown((error) => (error ? reject(error) : resolve()))),
    kill: () => server.forceShutdown(),
  };
}

class Models {
  /** The states of the requests with a tag, and who waits for one. */
  readonly #states = new Map<string, string>();
  #waiting: (() => void)[] = [];

  methods() {
    return {
      ServerLive: responding(() => ({ live: true })),
      ServerReady: responding(() => ({ ready: true })),
      ModelReady: responding(({ name }) => ({ ready: name === 'add-one' })),
      ModelMetadata: responding(({ name }) => metadataOf(name)),
      ModelInfer: responding((request) => addOne(request as unknown as Request)),
      ModelStreamInfer: (stream: Stream) => this.#stream(stream),
    };
  }

  #stream(stream: Stream): void {
    let running = Promise.resolve();
    stream.on('data', (request: Request) => {
      running = this.#answer(stream, request);
    });
    stream.on('end', () => {
      void running.then(() => {
        if (!stream.cancelled) stream.end();
      });
    });
  }

  async #answer(stream: Stream, request: Request): Promise<void> {
    if (request.model_name === 'add-one') {
      stream.write({ infer_response: addOne(request) });
      return;
    }
    const directive = directiveOf(request);
    const send = (text: string, final: boolean): boolean => stream.write(textResponse(request, text, final));
    if (directive.count_of !== undefined) {
      if (directive.until) await this.#until(directive.count_of, directive.until);
      send(JSON.stringify({ state: this.#states.get(directive.count_of) }), true);
      return;
    }
    stream.on('cancelled', () => this.#enter(directive, 'cancelled'));
    for (let at = 0; at <= (directive.tokens ?? 0) && !stream.cancelled; at++) {
      if (at === directive.error_at) {
        fail(stream, `Error generating stream: ${directive.error_text}`);
        return;
      }
      if (at > 0 && directive.delay_ms) await pause(directive.delay_ms);
      if (at === directive.hold_at) {
        this.#enter(directive, 'held');
        await new Promise((resolve) => stream.once('cancelled', resolve));
      } else if (at === directive.tokens) send('', true);
      else send(` w${at + 1}`, false);
    }
  }

  #enter({ tag }: Directive, state: string): void {
    if (tag === undefined) return;
    this.#states.set(tag, state);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #until(tag: string, state: string): Promise<void> {
    while (this.#states.get(tag) !== state) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

class Refusal extends Error {
  readonly code: status;
  readonly details: string;

  constructor(code: status, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

function responding(respond: (request: { readonly name: string }) => object) {
  return (call: ServerUnaryCall<{ readonly name: string }, object>, reply: sendUnaryData<object>): void => {
    try {
      reply(null, respond(call.request));
    } catch (error) {
      reply(error as Refusal);
    }
  };
}

/** As Triton does: inside a message, or by the status of the call where that is asked for. */
function fail(stream: Stream, text: string): void {
  if (stream.metadata.get('triton_grpc_error').length === 0) stream.write({ error_message: text });
  else stream.emit('error', new Refusal(status.INTERNAL, text));
}

function metadataOf(name: string): object {
  if (name !== 'add-one') throw new Refusal(status.NOT_FOUND, `Request for unknown model: '${name}' is not found`);
  return {
    name,
    versions: ['1'],
    platform: 'python',
    inputs: [{ name: 'number', datatype: 'INT32', shape: [-1] }],
    outputs: [{ name: 'sum', datatype: 'INT32', shape: [-1] }],
  };
}

function addOne({ model_name, id, raw_input_contents: [value = Buffer.alloc(0)] }: Request): object {
  const sum = Buffer.alloc(value.length);
  for (let at = 0; at < value.length; at += 4) sum.writeInt32LE(value.readInt32LE(at) + 1, at);
  const outputs = [{ name: 'sum', datatype: 'INT32', shape: [value.length / 4] }];
  return { model_name, model_version: '1', id, outputs, raw_output_contents: [sum] };
}

function textResponse({ model_name, id }: Request, text: string, final: boolean): object {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return {
    infer_response: {
      model_name,
      model_version: '1',
      id,
      parameters: { triton_final_response: { bool_param: final } },
      outputs: [{ name: 'text_output', datatype: 'BYTES', shape: [1] }],
      raw_output_contents: [Buffer.concat([length, bytes])],
    },
  };
}

function directiveOf({ raw_input_contents: [text = Buffer.alloc(4)] }: Request): Directive {
  const [, json = '{}'] = /<<(\{.*\})>>/s.exec(text.subarray(4).toString()) ?? [];
  return JSON.parse(json) as Directive;
}
