/**
 * What the models of the token server share: how one is described, what is read of a request, and the bytes of responses. Each of them is
 * called `bench`, and a token of any is four bytes.
 */
import { TOKEN_BYTES } from './answer-text.mjs';
import { field, fields, integer, integers } from './wire/protobuf.mjs';

export const MODEL = 'bench';
export const SERVICE = '/inference.GRPCInferenceService/';

const TYPES = /** @type {const} */ ({ BOOL: 1, UINT32: 4, UINT64: 5, INT32: 8, FP32: 11, BYTES: 13 });

/**
 * @typedef {keyof typeof TYPES} Datatype
 * @typedef {{ name: string, type: Datatype, dims: number[], required?: boolean }} TensorDescription
 * @typedef {Map<string, Buffer | undefined>} Inputs the raw bytes of the tensors of a request
 * @typedef {{ tokens: number, promptTokens: number, outputs: string[], answer?: Buffer }} Accepted with the tokens of an answer that is not the usual one
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

/** Stands in a response where its token will be. */
export const PLACEHOLDER = Buffer.from([1, 2, 3, 4]);

/**
 * @param {number} batch
 * @param {TensorDescription} tensor
 */
function tensorMetadata(batch, { name, type, dims }) {
  return [field(1, name), field(2, type), integers(3, batch > 0 ? [-1, ...dims] : dims)];
}

/** @param {Model} model */
function configuration({ platform, backend, batch, inputs, outputs }) {
  return [
    field(1, MODEL),
    field(2, platform),
    field(17, backend),
    integer(4, batch),
    ...inputs.map(({ name, type, dims, required = false }) =>
      field(5, [field(1, name), integer(2, TYPES[type]), integers(4, dims), integer(8, !required)]),
    ),
    ...outputs.map(({ name, type, dims }) => field(6, [field(1, name), integer(2, TYPES[type]), integers(3, dims)])),
    field(7, [field(1, `${MODEL}_0`), integer(2, 1), integer(4, 3)]),
    field(19, [integer(1, true)]),
  ];
}

const EXTENSIONS = ['sequence', 'model_repository', 'model_configuration', 'binary_tensor_data', 'parameters'];
const ABOUT_ONE_MODEL = new Set(['ModelReady', 'ModelMetadata', 'ModelConfig']);

/**
 * The answers to the calls without inference, by method.
 * @param {Model} model
 * @returns {Map<string, Buffer>}
 */
function descriptions(model) {
  const { platform, backend, batch, inputs, outputs } = model;
  const metadata = [
    field(1, MODEL),
    field(2, '1'),
    field(3, platform || backend),
    ...inputs.map((tensor) => field(4, tensorMetadata(batch, tensor))),
    ...outputs.map((tensor) => field(5, tensorMetadata(batch, tensor))),
  ];
  /** @type {[string, Buffer[]][]} */
  const answers = [
    ['ServerLive', [integer(1, true)]],
    ['ServerReady', [integer(1, true)]],
    ['ServerMetadata', [field(1, 'triton'), field(2, '2.65.0'), ...EXTENSIONS.map((name) => field(3, name))]],
    ['RepositoryIndex', [field(1, [field(1, MODEL), field(2, '1'), field(3, 'READY')])]],
    ['ModelReady', [integer(1, true)]],
    ['ModelMetadata', metadata],
    ['ModelConfig', [field(1, configuration(model))]],
  ];
  return new Map(answers.map(([method, parts]) => [method, Buffer.concat(parts)]));
}

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

/** @param {number} value */
export function uint32(value) {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A BOOL tensor of one element. */
export const YES = Buffer.from([1]);

/** @param {string | Buffer} text */
export const bytesTensor = (text) => Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)]);

/** @param {Buffer | undefined} raw a BYTES tensor of one element */
export const textOf = (raw) => (raw === undefined ? undefined : raw.toString('utf8', 4));

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
    const key = `${request.promptTokens} ${final} ${request.answer !== undefined} ${request.outputs.join()}`;
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
 * A ModelInferRequest as a gateway would send it, for measuring without one.
 * @param {{ id: string, model: string, inputs: Tensor[] }} request
 */
export function inferRequest({ id, model, inputs }) {
  return Buffer.concat([
    field(1, model),
    field(3, id),
    ...inputs.map(({ name, type, shape }) => field(5, [field(1, name), field(2, type), integers(3, shape)])),
    ...inputs.map(({ raw }) => field(7, raw)),
  ]);
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
