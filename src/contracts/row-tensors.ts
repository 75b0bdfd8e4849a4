import { endianness } from 'node:os';
import type { ModelConfig, ModelTensor } from '../kserve/messages.ts';
import type { InferResponse } from '../kserve/server.ts';
import { type Datatype, floatSizes, numberTensor, readFloats, type Tensor, textTensor } from '../kserve/tensors.ts';
import { type InputRow, RowError, type RowFigures, type RowsContract } from './row-contracts.ts';
import { type NumberInput, namesOf, type RowInputs } from './row-inputs.ts';
import { widthOf } from './row-outputs.ts';

type TokenRow = Extract<InputRow, { ids: Int32Array }>;

/** What is known of a model's tensors. */
export interface TensorPlan {
  readonly inputs: RowInputs;
  readonly output: ModelTensor;
  /** How many dimensions the output has beside that of the rows: one figure, a vector, or a vector for each token. */
  readonly rank: number;
}

/** How many dimensions the output has beside that of the rows. */
export function outputRank(config: ModelConfig, inputs: RowInputs, output: ModelTensor): number {
  return output.dims.length - (config.max_batch_size === 0 && inputs.layout.isBatched ? 1 : 0);
}

/** The assumed width of vectors where the configuration does not have it. */
const usualWidth = 1024;

/** Any model whose inputs are texts or tokens and whose output is rows of figures. */
export function tensorRows(plan: TensorPlan): RowsContract {
  const { inputs, output, rank } = plan;
  const isPerToken = rank === 2;
  const width = rank === 0 ? 1 : widthOf(output);
  const { layout } = inputs;
  // Only the model itself knows which of the tokens that it made of a text are padding.
  const mostTogether = inputs.kind === 'text' && isPerToken ? 1 : layout.most;
  return {
    takes: inputs.kind,
    mostTogether,
    counts: false,
    width,
    longest: inputs.kind === 'ids' ? inputs.length : undefined,
    inputs: namesOf(inputs),
    outputs: [output.name],
    encode: ({ id, model, version, rows, padId = 0 }) => ({
      id,
      model,
      version,
      inputs: inputs.kind === 'text' ? textTensors(inputs, rows) : tokenTensors(inputs, rows, padId),
      outputs: [output.name],
    }),
    decode: (response, rows) => decode(response, rows, plan),
    explain: () => undefined,
    ...(isPerToken && inputs.kind === 'ids'
      ? { figuresPerRow: (tokens: number) => (inputs.length ?? tokens) * (width ?? usualWidth) }
      : {}),
  };
}

function textTensors({ names, layout }: Extract<RowInputs, { kind: 'text' }>, rows: readonly InputRow[]): Tensor[] {
  const ones = Array.from({ length: layout.ones }, () => 1);
  const shape = layout.isBatched ? [rows.length, ...ones] : [1, ...ones];
  return names.map((name, at) =>
    textTensor(
      name,
      rows.map((row) => ('texts' in row ? (row.texts[at] ?? '') : '')),
      shape,
    ),
  );
}

function tokenTensors(inputs: Extract<RowInputs, { kind: 'ids' }>, rows: readonly InputRow[], padId: number): Tensor[] {
  const tokens = rows.filter((row): row is TokenRow => 'ids' in row);
  const length = inputs.length ?? Math.max(...tokens.map(({ ids }) => ids.length));
  const tooLong = tokens.findIndex(({ ids }) => ids.length > length);
  if (tooLong >= 0)
    throw new RowError(tooLong, `has ${tokens[tooLong]?.ids.length} tokens; this model takes ${length}`);
  const shape = inputs.layout.isBatched ? [rows.length, length] : [length];
  const filled = ({ name, datatype }: NumberInput, read: (row: TokenRow) => ArrayLike<number>, filling = 0): Tensor => {
    const values = new Int32Array(rows.length * length).fill(filling);
    tokens.forEach((row, at) => values.set(read(row), at * length));
    return numberTensor(name, { datatype, values, shape });
  };
  return [
    filled(inputs.ids, ({ ids }) => ids, padId),
    ...(inputs.mask ? [filled(inputs.mask, ({ ids }) => new Int32Array(ids.length).fill(1))] : []),
    ...(inputs.types ? [filled(inputs.types, ({ types }) => types ?? [])] : []),
  ];
}

function decode(
  response: InferResponse,
  rows: readonly InputRow[],
  { output, rank }: TensorPlan,
): Iterable<RowFigures> {
  const described = response.outputs.find(({ name }) => name === output.name);
  const data = response.raw(output.name);
  if (!described || !data) throw new RowError(0, `the model returned no ${output.name}`);
  const { datatype, shape } = described;
  const size = floatSizes[datatype];
  if (size === undefined)
    throw new RowError(0, `the model returned ${output.name} as ${datatype}, not as floating-point numbers`);
  const isPerToken = rank === 2;
  const width = rank === 0 ? 1 : (shape.at(-1) ?? 0);
  const perRow = data.length / size / rows.length;
  const isWhole = width > 0 && (isPerToken ? perRow % width === 0 && perRow > 0 : perRow === width);
  if (!isWhole)
    throw new RowError(0, `the model returned ${output.name} of shape [${shape.join(', ')}] for ${rows.length} texts`);
  rows.forEach((row, at) => {
    if (isPerToken && 'ids' in row && perRow / width < row.ids.length)
      throw new RowError(at, `the model returned vectors for ${perRow / width} of ${row.ids.length} tokens`);
  });
  return readRows(data, { datatype, bytes: perRow * size, width, isPerToken });
}

interface RowLayout {
  readonly datatype: Datatype;
  /** Of one row. */
  readonly bytes: number;
  readonly width: number;
  readonly isPerToken: boolean;
}

function* readRows(data: Buffer, { datatype, bytes, width, isPerToken }: RowLayout): Generator<RowFigures> {
  for (let at = 0; at < data.length; at += bytes) {
    const row = data.subarray(at, at + bytes);
    // Whole vectors are copied; those of tokens are read once and need no copy.
    const figures = isPerToken && canBeViewed(row, datatype) ? viewOf(row) : readFloats(row, datatype);
    yield { figures: figures as Float32Array, width };
  }
}

function canBeViewed({ byteOffset }: Buffer, datatype: Datatype): boolean {
  return datatype === 'FP32' && byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 && endianness() === 'LE';
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): Float32Array {
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}
