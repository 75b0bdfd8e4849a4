/**
 * The model `bench` as Triton's vLLM backend would serve it: its description, what it understands of a request, and the
 * bytes of its responses. Follows the recorded backend; its text is made up and known beforehand, so that it can be checked.
 */
import { field, fields, integer, integers } from './wire/protobuf.mjs';

const MODEL = 'bench';
export const SERVICE = '/inference.GRPCInferenceService/';
const CONTEXT_LENGTH = 32_768;
const TOKEN_BYTES = 4;

/** The text of every answer: a newline now and then, as in real text, so that escaping is not skipped. */
const TEXT = Array.from(
  { length: CONTEXT_LENGTH },
  (_, index) => (index % 16 === 15 ? '\n' : ' ') + index.toString(36).padStart(3, '0'),
).join('');
const TEXT_BYTES = Buffer.from(TEXT);

/**
 * The token at this place of any answer.
 * @param {number} index
 */
export function tokenText(index) {
  return TEXT.slice(index * TOKEN_BYTES, (index + 1) * TOKEN_BYTES);
}

const TYPES = /** @type {const} */ ({ BOOL: 1, UINT32: 4, FP32: 11, BYTES: 13 });

/** @typedef {{ name: string, type: keyof typeof TYPES, dims: number[] }} TensorDescription */

/** @type {TensorDescription[]} */
const INPUTS = [
  { name: 'text_input', type: 'BYTES', dims: [1] },
  { name: 'image', type: 'BYTES', dims: [-1] },
  { name: 'stream', type: 'BOOL', dims: [1] },
  { name: 'sampling_parameters', type: 'BYTES', dims: [1] },
  { name: 'exclude_input_in_output', type: 'BOOL', dims: [1] },
  { name: 'return_finish_reason', type: 'BOOL', dims: [1] },
  { name: 'return_cumulative_logprob', type: 'BOOL', dims: [1] },
  { name: 'return_logprobs', type: 'BOOL', dims: [1] },
  { name: 'return_num_input_tokens', type: 'BOOL', dims: [1] },
  { name: 'return_num_output_tokens', type: 'BOOL', dims: [1] },
  { name: 'embedding_request', type: 'BYTES', dims: [1] },
];
/** @type {TensorDescription[]} */
const OUTPUTS = [
  { name: 'text_output', type: 'BYTES', dims: [-1] },
  { name: 'finish_reason', type: 'BYTES', dims: [-1] },
  { name: 'cumulative_logprob', type: 'FP32', dims: [-1] },
  { name: 'logprobs', type: 'BYTES', dims: [-1] },
  { name: 'num_input_tokens', type: 'UINT32', dims: [1] },
  { name: 'num_output_tokens', type: 'UINT32', dims: [-1] },
];

/** @param {TensorDescription} tensor */
const tensorMetadata = ({ name, type, dims }) => [field(1, name), field(2, type), integers(3, dims)];

const MODEL_CONFIG = [
  field(1, MODEL),
  field(17, 'vllm'),
  integer(4, 0),
  ...INPUTS.map(({ name, type, dims }) =>
    field(5, [field(1, name), integer(2, TYPES[type]), integers(4, dims), integer(8, name !== 'text_input')]),
  ),
  ...OUTPUTS.map(({ name, type, dims }) => field(6, [field(1, name), integer(2, TYPES[type]), integers(3, dims)])),
  field(7, [field(1, `${MODEL}_0`), integer(2, 1), integer(4, 3)]),
  field(19, [integer(1, true)]),
];

const EXTENSIONS = ['sequence', 'model_repository', 'model_configuration', 'binary_tensor_data', 'parameters'];

/** The answers to the calls without inference, by method: a message, for models that exist. */
const ANSWERS = new Map([
  ['ServerLive', [integer(1, true)]],
  ['ServerReady', [integer(1, true)]],
  ['ServerMetadata', [field(1, 'triton'), field(2, '2.65.0'), ...EXTENSIONS.map((name) => field(3, name))]],
  ['RepositoryIndex', [field(1, [field(1, MODEL), field(2, '1'), field(3, 'READY')])]],
  ['ModelReady', [integer(1, true)]],
  [
    'ModelMetadata',
    [
      field(1, MODEL),
      field(2, '1'),
      field(3, 'vllm'),
      ...INPUTS.map((tensor) => field(4, tensorMetadata(tensor))),
      ...OUTPUTS.map((tensor) => field(5, tensorMetadata(tensor))),
    ],
  ],
  ['ModelConfig', [field(1, MODEL_CONFIG)]],
]);
const ABOUT_ONE_MODEL = new Set(['ModelReady', 'ModelMetadata', 'ModelConfig']);

/** @param {string} name */
const unknownModel = (name) => `Request for unknown model: '${name}' is not found`;

/** @param {Buffer} message one whose first field is a name */
const nameOf = (message) => String(fields(message).find(({ number }) => number === 1)?.value ?? '');

/**
 * Answers a call that is no inference.
 * @param {string} path
 * @param {Buffer} message
 * @returns {{ status: number, text: string } | { status: 0, answer: Buffer }}
 */
export function answerCall(path, message) {
  const method = path.startsWith(SERVICE) ? path.slice(SERVICE.length) : '';
  const answer = ANSWERS.get(method);
  if (answer === undefined) return { status: 12, text: `the token server does not know ${path}` };
  const name = ABOUT_ONE_MODEL.has(method) ? nameOf(message) : MODEL;
  if (name !== MODEL) return { status: 5, text: unknownModel(name) };
  return { status: 0, answer: Buffer.concat(answer) };
}

/** @param {Buffer | undefined} raw a BYTES tensor of one element */
const textOf = (raw) => (raw === undefined ? undefined : raw.toString('utf8', 4));

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
  const inputs = new Map(names.map((name, index) => [name, raw[index]]));
  return { model, id, inputs, wanted };
}

/**
 * Reads a request for an answer, or says in `error` what the backend would say of it.
 * @param {Buffer} message
 * @param {number} defaultTokens
 */
export function readRequest(message, defaultTokens) {
  const { model, id, inputs, wanted } = parseRequest(message);
  /** @param {string} error */
  const refuse = (error) => ({ id, error, late: false, tokens: 0, promptTokens: 0, outputs: [] });
  if (model !== MODEL) return refuse(unknownModel(model));
  const unknown = [...inputs.keys()].find((name) => INPUTS.every((input) => input.name !== name));
  if (unknown !== undefined) return refuse(`unexpected inference input '${unknown}' for model '${MODEL}'`);
  const prompt = textOf(inputs.get('text_input'));
  if (prompt === undefined) return { ...refuse('text_input is missing, or not in raw_input_contents'), late: true };
  if (inputs.get('stream')?.[0] !== 1) return { ...refuse('the token server can only stream'), late: true };
  if (inputs.get('exclude_input_in_output')?.[0] === 0) {
    return { ...refuse('When streaming, `exclude_input_in_output` = False is not supported.'), late: true };
  }
  const sampling = JSON.parse(textOf(inputs.get('sampling_parameters')) ?? '{}');
  const tokens = Math.min(Number(sampling.max_tokens ?? defaultTokens), CONTEXT_LENGTH);
  if (!(tokens >= 1)) {
    const error = "Error generating stream: 'NoneType' object has no attribute 'lora_name'";
    return { ...refuse(error), late: true };
  }
  const outputs = OUTPUTS.map(({ name }) => name).filter(
    (name) =>
      (wanted.size === 0 || wanted.has(name)) &&
      (name === 'text_output' || inputs.get(`return_${name}`)?.[0] === 1) &&
      name !== 'cumulative_logprob' &&
      name !== 'logprobs',
  );
  return { id, error: undefined, late: false, tokens, promptTokens: Math.ceil(prompt.length / TOKEN_BYTES), outputs };
}

/** @param {number} value */
function uint32(value) {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** @param {string} text */
const bytesTensor = (text) => Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)]);

/** @param {boolean} final */
const finalFlag = (final) => field(4, [field(1, 'triton_final_response'), field(2, [integer(1, final)])]);

const PLACEHOLDER = '\u0001\u0002\u0003\u0004';

/** @type {Map<string, Buffer>} the outputs of a response, by what they depend on */
const OUTPUT_BYTES = new Map();

/**
 * @param {{ promptTokens: number, outputs: string[] }} request
 * @param {boolean} final
 */
function outputBytes({ promptTokens, outputs }, final) {
  const key = `${promptTokens} ${final} ${outputs.join()}`;
  const known = OUTPUT_BYTES.get(key);
  if (known !== undefined) return known;
  const values = new Map([
    ['text_output', { type: 'BYTES', shape: [integers(3, [1])], raw: bytesTensor(PLACEHOLDER) }],
    ['finish_reason', { type: 'BYTES', shape: [integers(3, [1])], raw: bytesTensor(final ? 'length' : 'None') }],
    ['num_input_tokens', { type: 'UINT32', shape: [], raw: uint32(promptTokens) }],
    ['num_output_tokens', { type: 'UINT32', shape: [integers(3, [1])], raw: uint32(1) }],
  ]);
  const sent = [...values].filter(([name]) => outputs.includes(name));
  const bytes = Buffer.concat([
    ...sent.map(([name, { type, shape }]) => field(5, [field(1, name), field(2, type), ...shape])),
    ...sent.map(([, { raw }]) => field(6, raw)),
  ]);
  OUTPUT_BYTES.set(key, bytes);
  return bytes;
}

const MODEL_FIELDS = Buffer.concat([field(1, MODEL), field(2, '1')]);
const FINAL = finalFlag(true);
const NOT_FINAL = finalFlag(false);

/**
 * One ModelStreamInferResponse with a placeholder for its token, which `writeToken` fills in.
 * @param {{ id: string, promptTokens: number, outputs: string[] }} request
 * @param {boolean} final
 */
export function responseTemplate(request, final) {
  const flag = final ? FINAL : NOT_FINAL;
  return field(2, [MODEL_FIELDS, field(3, request.id), flag, outputBytes(request, final)]);
}

/**
 * Where the token stands in a template.
 * @param {Buffer} template
 */
export function tokenPlace(template) {
  return template.lastIndexOf(PLACEHOLDER);
}

/**
 * @param {Buffer} target
 * @param {number} at
 * @param {number} index which token of the answer
 */
export function writeToken(target, at, index) {
  const from = index * TOKEN_BYTES;
  TEXT_BYTES.copy(target, at, from, from + TOKEN_BYTES);
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

/**
 * A ModelInferRequest as a gateway would send it, for measuring without one.
 * @param {{ id: string, model: string, prompt: string, tokens: number }} request
 */
export function inferRequest({ id, model, prompt, tokens }) {
  const yes = Buffer.from([1]);
  const inputs = [
    { name: 'text_input', type: 'BYTES', raw: bytesTensor(prompt) },
    { name: 'stream', type: 'BOOL', raw: yes },
    { name: 'sampling_parameters', type: 'BYTES', raw: bytesTensor(JSON.stringify({ max_tokens: tokens })) },
    { name: 'return_finish_reason', type: 'BOOL', raw: yes },
    { name: 'return_num_input_tokens', type: 'BOOL', raw: yes },
    { name: 'return_num_output_tokens', type: 'BOOL', raw: yes },
  ];
  return Buffer.concat([
    field(1, model),
    field(3, id),
    ...inputs.map(({ name, type }) => field(5, [field(1, name), field(2, type), integers(3, [1])])),
    ...inputs.map(({ raw }) => field(7, raw)),
  ]);
}
