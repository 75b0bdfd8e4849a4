import { once } from 'node:events';
import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { decodeControlRequest, encodeControlResponse, isControlMethod } from '../../src/kserve/control-codec.ts';
import { FrameReader, frame } from '../../src/kserve/grpc-frames.ts';
import { WireRequest } from '../../src/kserve/infer-request-codec.ts';
import { encodeInferResponse } from '../../src/kserve/infer-response-codec.ts';
import type { ControlMethod, ModelConfig, ModelMetadata, ModelTensor } from '../../src/kserve/messages.ts';
import { ProtobufWriter } from '../../src/kserve/protobuf-writer.ts';
import { type StatusCode, StatusError, statusCodes } from '../../src/kserve/status.ts';
import { readText, type Tensor, textTensor } from '../../src/kserve/tensors.ts';

/** A model as the frontend registers it: with a configuration of Triton, or for completions of text only. */
interface DynamoModel {
  readonly name: string;
  /** The configuration that its worker registered; left out: a completion model. */
  readonly config?: Pick<ModelConfig, 'backend' | 'input' | 'output'>;
}

interface FrontendOptions {
  readonly models: readonly DynamoModel[];
  /** Calls that this server lacks beside those that Dynamo lacks. */
  readonly lacks?: readonly ControlMethod[];
}

const text = (name: string): ModelTensor => ({ name, data_type: 'TYPE_STRING', dims: [1] });

/** The tensors of a vLLM model of Triton, as a worker registers them. */
export const vllmTensors = {
  backend: 'vllm',
  input: [
    text('text_input'),
    { name: 'stream', data_type: 'TYPE_BOOL', dims: [1], optional: true },
    { ...text('sampling_parameters'), optional: true },
    { name: 'exclude_input_in_output', data_type: 'TYPE_BOOL', dims: [1], optional: true },
    { name: 'return_finish_reason', data_type: 'TYPE_BOOL', dims: [1], optional: true },
  ],
  output: [text('text_output'), text('finish_reason')],
};

const completionTensors = {
  backend: 'dynamo',
  input: [text('text_input'), { name: 'streaming', data_type: 'TYPE_BOOL', dims: [1], optional: true }],
  output: [
    { ...text('text_output'), dims: [-1] },
    { ...text('finish_reason'), dims: [-1] },
  ],
};

/**
 * An imitation of Dynamo's KServe frontend. It implements seven calls: ServerLive, ServerReady, ModelReady, ModelMetadata,
 * ModelConfig, ModelInfer and ModelStreamInfer. A model repeats the words of its prompt.
 */
export class DynamoFrontend {
  readonly #server = http2.createServer();
  readonly #lacks: ReadonlySet<string>;
  models: readonly DynamoModel[];
  /** The inferences so far, by their inputs. */
  readonly inferences: Readonly<Record<string, string>>[] = [];

  constructor({ models, lacks = [] }: FrontendOptions) {
    this.models = models;
    this.#lacks = new Set(lacks);
    this.#server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      const method = String(headers[':path']).split('/').at(-1) ?? '';
      void this.#serve(stream, method);
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }

  async #serve(stream: ServerHttp2Stream, method: string): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const messages: Buffer[] = [];
    new FrameReader('client', 2 ** 20).push(body, 0, body.length, (bytes, from, to) =>
      messages.push(bytes.subarray(from, to)),
    );
    try {
      const responses = this.#respond(method, messages[0] ?? Buffer.alloc(0));
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      for (const response of responses) stream.write(frame(response));
      stream.end();
    } catch (error) {
      const { code, message } = error as StatusError;
      refuse(stream, code, message);
    }
  }

  #respond(method: string, message: Buffer): Uint8Array[] {
    if (this.#lacks.has(method)) throw unimplemented();
    if (method === 'ModelInfer') return [encodeInferResponse(this.#infer(new WireRequest(message), ''))];
    if (method === 'ModelStreamInfer') return this.#stream(new WireRequest(message));
    if (!isControlMethod(method)) throw unimplemented();
    const { name } = decodeControlRequest(method, message) as { readonly name: string };
    if (method === 'ServerLive') return [encodeControlResponse(method, { live: true })];
    if (method === 'ServerReady') return [encodeControlResponse(method, { ready: this.models.length > 0 })];
    if (method === 'ModelReady')
      return [encodeControlResponse(method, { ready: this.models.some((model) => model.name === name) })];
    if (method === 'ModelMetadata') return [encodeControlResponse(method, this.#metadata(name))];
    if (method === 'ModelConfig') return [encodeControlResponse(method, { config: this.#config(name) })];
    throw unimplemented();
  }

  #config(name: string): ModelConfig {
    const model = this.models.find((each) => each.name === name);
    if (!model) throw new StatusError('NOT_FOUND', `Model '${name}' not found`);
    const platform = model.config ? '' : 'dynamo';
    return { name, platform, max_batch_size: 0, parameters: {}, ...(model.config ?? completionTensors) };
  }

  /** Metadata made from a configuration of Triton have its names of datatypes. */
  #metadata(name: string): ModelMetadata {
    const { platform, input, output } = this.#config(name);
    const described = ({ name: tensor, data_type: type, dims }: ModelTensor) => ({
      name: tensor,
      datatype: platform === '' ? type : type.replace('TYPE_STRING', 'BYTES').replace('TYPE_', ''),
      shape: dims,
    });
    return { name, versions: ['1'], platform, inputs: input.map(described), outputs: output.map(described) };
  }

  /** No response says that it is the last. */
  #stream(request: WireRequest): Uint8Array[] {
    const prompt = request.inputs.find(({ name }) => name === 'text_input');
    const words = prompt ? readText(prompt.data).split(/(?<= )/) : [];
    this.#note(request);
    return words.map((word, at) => {
      const response = responseOf(request, word, at === words.length - 1 ? 'stop' : 'None');
      // First, because a writer uses the shared buffer until it is finished.
      const message = encodeInferResponse(response);
      return new ProtobufWriter().bytes(2, message).finish();
    });
  }

  #infer(request: WireRequest, reason: string) {
    this.#note(request);
    const prompt = request.inputs.find(({ name }) => name === 'text_input');
    return responseOf(request, prompt ? readText(prompt.data) : '', reason || 'stop');
  }

  #note({ model, version, inputs }: WireRequest): void {
    const texts = inputs.filter(({ datatype }) => datatype === 'BYTES').map(({ name, data }) => [name, readText(data)]);
    this.inferences.push({ model, version, ...Object.fromEntries(texts) });
  }
}

function responseOf({ model, id }: WireRequest, words: string, reason: string) {
  const outputs: readonly Tensor[] = [textTensor('text_output', [words]), textTensor('finish_reason', [reason])];
  const raw = (name: string): Buffer | undefined => outputs.find((output) => output.name === name)?.data;
  return { model, version: '1', id, parameters: {}, outputs, raw };
}

function unimplemented(): StatusError {
  return new StatusError('UNIMPLEMENTED', '');
}

/** A refusal has no message: its status is in the headers. */
function refuse(stream: ServerHttp2Stream, code: StatusCode, message: string): void {
  const status = { 'grpc-status': String(statusCodes[code]), 'grpc-message': encodeURIComponent(message) };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
}
