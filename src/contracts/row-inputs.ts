import type { ModelConfig, ModelTensor } from '../kserve/messages.ts';

/** What the operator says of a model's inputs, in the keys of the configuration file. */
export interface InputSettings {
  /** The input of the text or of the token ids. */
  readonly input?: string | undefined;
  readonly attention_mask?: string | undefined;
  readonly token_type_ids?: string | undefined;
}

/** An input of whole numbers. */
export interface NumberInput {
  readonly name: string;
  readonly datatype: 'INT32' | 'INT64';
}

/** Where the texts of a row, or their tokens, go. */
export type RowInputs =
  | { readonly kind: 'text'; readonly names: readonly string[]; readonly layout: InputLayout }
  | {
      readonly kind: 'ids';
      readonly ids: NumberInput;
      readonly mask: NumberInput | undefined;
      readonly types: NumberInput | undefined;
      readonly layout: InputLayout;
      /** How many tokens every row must be filled up to; undefined: any number. */
      readonly length: number | undefined;
    };

/** How rows lie in the inputs. */
export interface InputLayout {
  /** The most rows of one request. */
  readonly most: number;
  /** Whether the first dimension counts the rows. */
  readonly isBatched: boolean;
  /** How many dimensions of size one follow the rows of a text input. */
  readonly ones: number;
}

/** Rows of one request to a model that has its own batch dimension, without a bound. */
const mostUnbounded = 32;

const namesOfIds = /^(?:input_?)?(?:ids|tokens)(?:_0)?$/i;
const namesOfMask = /^(?:attention|input|padding)?_?mask(?:_0)?$/i;
const namesOfTypes = /^(?:token_?type_?ids|segment_?ids|type_?ids)(?:_0)?$/i;
const namesOfQuery = /quer|question|(?:text|sentence)_?(?:1|a)$/i;

/** What to find inputs for: how many texts a row has, and which output is read. */
interface InputCriteria {
  readonly texts: 1 | 2;
  readonly output: ModelTensor;
  readonly settings: InputSettings;
}

/** Finds the inputs of a model that takes texts or their tokens; undefined where they are something else. */
export function findInputs(config: ModelConfig, criteria: InputCriteria): RowInputs | undefined {
  const { input } = config;
  const { settings } = criteria;
  const ids = chosenNumbers(input, settings.input, namesOfIds);
  const found = ids && datatypeOf(ids) !== undefined ? idInputs(config, ids, settings) : undefined;
  const inputs = found ?? textInputs(config, criteria);
  if (!inputs) return undefined;
  const used = inputs.kind === 'text' ? inputs.names : namesOf(inputs);
  return input.every(({ name, optional }) => optional || used.includes(name)) ? inputs : undefined;
}

/** The names of the inputs that are sent. */
export function namesOf(inputs: RowInputs): readonly string[] {
  if (inputs.kind === 'text') return inputs.names;
  return [inputs.ids, inputs.mask, inputs.types].flatMap((input) => (input ? [input.name] : []));
}

function idInputs(config: ModelConfig, ids: ModelTensor, settings: InputSettings): RowInputs | undefined {
  const { input, max_batch_size: most } = config;
  const { dims } = ids;
  const mask = chosenNumbers(input, settings.attention_mask, namesOfMask);
  const types = chosenNumbers(input, settings.token_type_ids, namesOfTypes);
  const isBatched = most > 0 || dims.length === 2;
  if (dims.length !== (isBatched && most === 0 ? 2 : 1)) return undefined;
  const rows = most > 0 ? most : isBatched ? boundOf(dims[0]) : 1;
  if (rows === undefined) return undefined;
  const length = dims.at(-1) ?? -1;
  return {
    kind: 'ids',
    ids: { name: ids.name, datatype: datatypeOf(ids) ?? 'INT64' },
    mask: numberInput(mask),
    types: numberInput(types),
    // Without a mask the model takes padding for text.
    layout: { most: mask ? rows : 1, isBatched, ones: 0 },
    length: length > 0 ? length : undefined,
  };
}

function textInputs(config: ModelConfig, { texts, output, settings }: InputCriteria): RowInputs | undefined {
  const { input, max_batch_size: most } = config;
  const all = input.filter(({ data_type: type }) => type === 'TYPE_STRING');
  const needed = all.filter(({ optional }) => !optional);
  const only = needed.length === 1 ? needed[0] : undefined;
  const one = settings.input === undefined ? only : named(all, settings.input);
  const chosen = texts === 1 ? [one] : pairOf(needed);
  const [first] = chosen;
  if (
    !first ||
    chosen.length !== texts ||
    chosen.some((tensor) => tensor?.dims.some((size) => size !== 1 && size !== -1))
  )
    return undefined;
  const { dims } = first;
  // Without a batch dimension of the server's the first one may count the texts: the output then has one dimension more.
  const isBatched = most > 0 || output.dims.length > 1;
  const rows = most > 0 ? most : isBatched ? boundOf(dims[0]) : 1;
  if (rows === undefined) return undefined;
  return {
    kind: 'text',
    names: chosen.flatMap((tensor) => (tensor ? [tensor.name] : [])),
    layout: { most: rows, isBatched, ones: most > 0 ? dims.length : dims.length - 1 },
  };
}

/** The query first, by its name or else by its position. */
function pairOf(tensors: readonly ModelTensor[]): readonly ModelTensor[] {
  const [first, second] = tensors;
  if (!first || !second || tensors.length !== 2) return [];
  return namesOfQuery.test(second.name) && !namesOfQuery.test(first.name) ? [second, first] : [first, second];
}

/** How many rows a dimension of the model's own may have; undefined for a fixed number other than one. */
function boundOf(size: number | undefined): number | undefined {
  return size === -1 ? mostUnbounded : size === 1 ? 1 : undefined;
}

function named(tensors: readonly ModelTensor[], expectedName: string): ModelTensor | undefined {
  return tensors.find(({ name }) => name === expectedName);
}

/** The input that is set, or else the one whose name matches. */
function chosenNumbers(
  tensors: readonly ModelTensor[],
  set: string | undefined,
  names: RegExp,
): ModelTensor | undefined {
  if (set !== undefined) return named(tensors, set);
  return tensors.find((tensor) => names.test(tensor.name) && datatypeOf(tensor) !== undefined);
}

function numberInput(tensor: ModelTensor | undefined): NumberInput | undefined {
  const datatype = tensor && datatypeOf(tensor);
  return tensor && datatype ? { name: tensor.name, datatype } : undefined;
}

/** The datatype of whole numbers that can be sent; undefined for others. */
export function datatypeOf({ data_type: type }: ModelTensor): NumberInput['datatype'] | undefined {
  return type === 'TYPE_INT32' ? 'INT32' : type === 'TYPE_INT64' ? 'INT64' : undefined;
}
