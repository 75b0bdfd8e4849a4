/**
 * What the models of the token server share: how one is described, what is read of a request, and the bytes of responses. Each of them is
 * called `bench`, and a token of any is four bytes.
 */
import { TOKEN_BYTES } from './answer-text.mjs';
import { descriptions } from './model-description.mjs';
import { MODEL, PLACEHOLDER } from './tensors.mjs';
import { field, fields, integer, integers } from './wire/protobuf.mjs';

export const SERVICE = '/inference.GRPCInferenceService/';

/**
 * @typedef {'BOOL' | 'UINT32' | 'UINT64' | 'INT32' | 'FP32' | 'BYTES'} Datatype
 * @typedef {{ name: string, type: Datatype, dims: number[], required?: boolean }} TensorDescription
 * @typedef {Map<string, Buffer | undefined>} Inputs the raw bytes of the tensors of a request
 * @typedef {{ tokens: number, promptTokens: number, outputs: string[], answer?: Buffer, whole?: number }} Accepted with the tokens of an answer that is not the usual one, or how many are in the one response of an unstreamed answer
 * @typedef {{ name: string, type: Datatype, shape: number[], raw: Buffer }} Tensor
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

/** @param {string} name */
const unknownModel = (name) => `Request for unknown model: '${name}' is not found`;

/** @param {Buffer} message one whose first field is a name */
const nameOf = (message) => String(fields(message).find(({ number }) => number === 1)?.value ?? '');

/**
 * What the benchmark needs to know of a ModelInferRequest.
 * @param {Buffer} message
 */
function parseRequest(message) {
  let model = '';
  let id = '';
  /** @type {string[]} */
  const names = [];
  /** @type {Buffer[]} */
  const raw = [];
  /** @type {Set<string>} */
  const wanted = new Set();
  for (const { number, value } of fields(message)) {
    if (typeof value === 'number') continue;
    if (number === 1) model = value.toString();
    else if (number === 3) id = value.toString();
    else if (number === 5) names.push(nameOf(value));
    else if (number === 6) wanted.add(nameOf(value));
    else if (number === 7) raw.push(value);
  }
  return { model, id, inputs: new Map(names.map((name, index) => [name, raw[index]])), wanted };
}

/** @param {boolean} final */
const finalFlag = (final) => field(4, [field(1, 'triton_final_response'), field(2, [integer(1, final)])]);

const MODEL_FIELDS = Buffer.concat([field(1, MODEL), field(2, '1')]);
const FINAL = finalFlag(true);
const NOT_FINAL = finalFlag(false);

/** A model as the token server serves it. */
export class ServedModel {
  #model;
  #descriptions;
  /** @type {Map<string, Buffer>} the outputs of a response, by what they depend on */
  #outputBytes = new Map();

  /** @param {Model} model */
  constructor(model) {
    this.#model = model;
    this.#descriptions = descriptions(model);
  }

  /**
   * Answers a call that is no inference.
   * @param {string} path
   * @param {Buffer} message
   * @returns {{ status: number, text: string } | { status: 0, answer: Buffer }}
   */
  describe(path, message) {
    const method = path.startsWith(SERVICE) ? path.slice(SERVICE.length) : '';
    const answer = this.#descriptions.get(method);
    if (answer === undefined) return { status: 12, text: `the token server does not know ${path}` };
    const name = ABOUT_ONE_MODEL.has(method) ? nameOf(message) : MODEL;
    if (name !== MODEL) return { status: 5, text: unknownModel(name) };
    return { status: 0, answer };
  }

  /**
   * Reads a request for an answer, or says in `error` what Triton (or, `late`, the backend) would say of it.
   * @param {Buffer} message
   * @param {number} defaultTokens
   */
  read(message, defaultTokens) {
    const { model, id, inputs, wanted } = parseRequest(message);
    /** @param {string} error */
    const refuse = (error, late = false) => ({ id, error, late, tokens: 0, promptTokens: 0, outputs: [] });
    if (model !== MODEL) return refuse(unknownModel(model));
    const unknown = [...inputs.keys()].find((name) => this.#model.inputs.every((input) => input.name !== name));
    if (unknown !== undefined) return refuse(`unexpected inference input '${unknown}' for model '${MODEL}'`);
    const request = this.#model.read(inputs, wanted, defaultTokens);
    return typeof request === 'string' ? refuse(request, true) : { ...request, id, error: undefined, late: false };
  }

  /**
   * One ModelStreamInferResponse with a placeholder for its token, which `writeToken` fills in.
   * @param {Accepted & { id: string }} request
   * @param {boolean} final
   */
  responseTemplate(request, final) {
    const flag = final ? FINAL : NOT_FINAL;
    return field(2, [MODEL_FIELDS, field(3, request.id), flag, this.#outputs(request, final)]);
  }

  /**
   * @param {Buffer} target
   * @param {number} at
   * @param {number} index which token of the answer
   * @param {Buffer} [answer]
   */
  writeToken(target, at, index, answer = this.#model.tokens) {
    const from = index * TOKEN_BYTES;
    answer.copy(target, at, from, from + TOKEN_BYTES);
  }

  /**
   * @param {Accepted} request
   * @param {boolean} final
   */
  #outputs(request, final) {
    const key = `${request.promptTokens} ${final} ${request.whole} ${request.answer !== undefined} ${request.outputs.join()}`;
    const known = this.#outputBytes.get(key);
    if (known !== undefined) return known;
    const sent = this.#model.respond(request, final).filter(({ name }) => request.outputs.includes(name));
    const bytes = Buffer.concat([
      ...sent.map(({ name, type, shape }) =>
        field(5, [field(1, name), field(2, type), ...(shape.length > 0 ? [integers(3, shape)] : [])]),
      ),
      ...sent.map(({ raw }) => field(6, raw)),
    ]);
    this.#outputBytes.set(key, bytes);
    return bytes;
  }
}

/**
 * Where the token stands in a template.
 * @param {Buffer} template
 */
export function tokenPlace(template) {
  return template.lastIndexOf(PLACEHOLDER);
}

/**
 * The response to a refused request: found before it was queued (then without the final flag), or by the backend.
 * @param {{ id: string, error: string, late: boolean }} request
 */
export function errorResponse({ id, error, late }) {
  return Buffer.concat([
    field(1, error),
    field(2, late ? [field(1, MODEL), field(3, id), finalFlag(true)] : [field(3, id)]),
  ]);
}
