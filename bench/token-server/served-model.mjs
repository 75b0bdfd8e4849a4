/**
 * What the models of the token server share: how one is described, what is read of a request, and the bytes of responses. Each of them is
 * called `bench`, and a token of any is four bytes.
 */
import { TOKEN_BYTES } from '../completion-text.mjs';
import { harness } from '../harness.mjs';
import { descriptions } from './descriptions.mjs';
import { MODEL, PLACEHOLDER } from './tensors.mjs';

/**
 * @typedef {'BOOL' | 'UINT32' | 'UINT64' | 'INT32' | 'FP32' | 'BYTES'} Datatype
 * @typedef {{ name: string, type: Datatype, dims: number[], required?: boolean }} TensorDescription
 * @typedef {Map<string, Buffer | undefined>} Inputs the raw bytes of the tensors of a request
 * @typedef {{ tokens: number, promptTokens: number, outputs: string[], response?: Buffer, whole?: number }} Accepted with the tokens of an unusual response, or the number in the one response of an unstreamed request
 * @typedef {{ name: string, datatype: Datatype, shape: number[], data: Buffer }} Tensor
 * @typedef {{ bytes: Buffer, idOffset: number, tokenOffset: number }} Template a message, where its request's id stands, and where its token
 */

/**
 * A model of the token server.
 * @typedef {object} Model
 * @property {string} platform
 * @property {string} backend
 * @property {number} batch the most rows of a request; 0 for tensors without a dimension for them
 * @property {TensorDescription[]} inputs
 * @property {TensorDescription[]} outputs
 * @property {Buffer} tokens all tokens of an answer, one after the other
 * @property {(inputs: Inputs, wanted: Set<string>, defaultTokens: number) => Accepted | string} read a request, or what is wrong with it
 * @property {(request: Accepted, final: boolean) => Tensor[]} respond with PLACEHOLDER where the token is
 * @property {(prompt: string, tokens: number) => Tensor[]} ask the inputs with which a client asks for an answer
 */

const ABOUT_ONE_MODEL = new Set(['ModelReady', 'ModelMetadata', 'ModelConfig']);
const SERVICE = harness.methodPath('');

/** The path of a request for an answer. */
export const INFER = harness.methodPath('ModelStreamInfer');

/** @param {string} name */
const unknownModel = (name) => `Request for unknown model: '${name}' is not found`;

/** A model as the token server serves it. */
export class ServedModel {
  #model;
  #response;
  #names;
  #descriptions;
  /** @type {Map<string, Template>} by all that they depend on */
  #templates = new Map();

  /**
   * @param {Model} model
   * @param {Buffer} [response] the tokens of every answer, instead of the model's own
   */
  constructor(model, response) {
    this.#model = model;
    this.#response = response;
    this.#names = new Set(model.inputs.map(({ name }) => name));
    this.#descriptions = descriptions(model);
  }

  /**
   * Answers a call that is no inference.
   * @param {string} path
   * @param {Buffer} message
   * @returns {{ status: number, text: string } | { status: 0, response: Uint8Array }}
   */
  describe(path, message) {
    const method = path.startsWith(SERVICE) ? path.slice(SERVICE.length) : '';
    const response = this.#descriptions.get(method);
    if (response === undefined || !harness.isControlMethod(method))
      return { status: 12, text: `the token server does not know ${path}` };
    if (!ABOUT_ONE_MODEL.has(method)) return { status: 0, response };
    const { name } = /** @type {{ name: string }} */ (harness.decodeControlRequest(method, message));
    return name === MODEL ? { status: 0, response } : { status: 5, text: unknownModel(name) };
  }

  /**
   * Reads a request for an answer. One that is refused has, in `refusal`, the message that Triton (or the backend) would send.
   * @param {Buffer} message
   * @param {number} defaultTokens
   * @returns {{ refusal: Uint8Array } | (Accepted & { id: string, refusal: undefined })}
   */
  read(message, defaultTokens) {
    const request = new harness.WireRequest(message);
    const { id, model } = request;
    if (model !== MODEL) return { refusal: harness.encodeStreamRefusal(unknownModel(model), request) };
    /** @type {Inputs} */
    const inputs = new Map(request.inputs.map(({ name, data }) => [name, data]));
    for (const name of inputs.keys()) {
      if (this.#names.has(name)) continue;
      const reason = `unexpected inference input '${name}' for model '${MODEL}'`;
      return { refusal: harness.encodeStreamRefusal(reason, request) };
    }
    const found = this.#model.read(inputs, new Set(request.outputs ?? []), defaultTokens);
    if (typeof found === 'string') return { refusal: harness.encodeStreamFailure(found, { model, id }) };
    const response = this.#response;
    if (response === undefined) return { ...found, id, refusal: undefined };
    const tokens = Math.min(found.tokens, response.length / TOKEN_BYTES);
    return { ...found, tokens, response, id, refusal: undefined };
  }

  /**
   * A response with a placeholder for its token, which `writeToken` fills in, and one for the id of its request: made once for all requests that
   * differ in their ids only.
   * @param {Accepted & { id: string }} request
   * @param {boolean} final
   * @returns {Template}
   */
  template(request, final) {
    const { promptTokens, whole, response, outputs, id } = request;
    const key = `${id.length} ${promptTokens} ${final} ${whole} ${response !== undefined} ${outputs.join()}`;
    const known = this.#templates.get(key);
    if (known !== undefined) return known;
    const made = this.#makeTemplate({ ...request, id: '\x05'.repeat(id.length) }, final);
    this.#templates.set(key, made);
    return made;
  }

  /**
   * @param {Accepted & { id: string }} request
   * @param {boolean} final
   */
  #makeTemplate(request, final) {
    const { id } = request;
    const outputs = this.#model.respond(request, final).filter(({ name }) => request.outputs.includes(name));
    const response = {
      model: MODEL,
      version: '1',
      id,
      parameters: { triton_final_response: final },
      final,
      outputs,
      raw: (/** @type {string} */ name) => outputs.find((output) => output.name === name)?.data,
      text: () => undefined,
      uint32: () => undefined,
      detached: () => response,
    };
    const bytes = Buffer.from(harness.encodeStreamResponse(response));
    return { bytes, idOffset: id === '' ? -1 : bytes.indexOf(id), tokenOffset: bytes.lastIndexOf(PLACEHOLDER) };
  }

  /**
   * @param {Buffer} target
   * @param {number} at
   * @param {number} index which token of the answer
   * @param {Buffer} [response]
   */
  writeToken(target, at, index, response = this.#model.tokens) {
    const from = index * TOKEN_BYTES;
    response.copy(target, at, from, from + TOKEN_BYTES);
  }
}
