import type { ModelConfig } from '../kserve/messages.ts';
import {
  boolTensor,
  type Datatype,
  isNumberDatatype,
  type NumberDatatype,
  numberTensor,
  type Tensor,
  textTensor,
} from '../kserve/tensors.ts';
import type { Support } from './contract.ts';

/** Names of one input, which was renamed between releases: the newest first. */
export type InputNames = readonly string[];

/**
 * The inputs that a model declares, as a writer of tensors: what it does not declare is left out, and a number has the
 * datatype that the model gives it.
 */
export class DeclaredInputs {
  readonly #types: ReadonlyMap<string, string>;
  readonly #required: ReadonlySet<string>;
  /** The batch dimension, which comes before an input's own dims where the model has one. */
  readonly #batch: readonly number[];

  constructor({ input, max_batch_size: maxBatchSize }: ModelConfig) {
    this.#types = new Map(input.map(({ name, data_type: type }) => [name, type]));
    this.#required = new Set(input.filter(({ optional }) => optional !== true).map(({ name }) => name));
    this.#batch = maxBatchSize > 0 ? [1] : [];
  }

  has(names: InputNames): boolean {
    return names.some((name) => this.#types.has(name));
  }

  /** Whether a request must carry it. */
  requires(name: string): boolean {
    return this.#required.has(name);
  }

  isOfType(name: string, type: string): boolean {
    return this.#types.get(name) === type;
  }

  /** One number; none where the value is undefined. */
  number(names: InputNames, value: number | undefined): Tensor[] {
    return value === undefined ? [] : this.numbers(names, [value], [1]);
  }

  /** One 64-bit integer; an input of fewer bits gets its lowest ones. */
  integer(names: InputNames, value: number | bigint | undefined): Tensor[] {
    if (typeof value !== 'bigint') return this.number(names, value);
    const name = names.find((each) => this.#numberType(each) !== undefined);
    if (name === undefined) return [];
    if (!this.isOfType(name, 'TYPE_INT64') && !this.isOfType(name, 'TYPE_UINT64'))
      return this.number([name], Number(BigInt.asIntN(32, value)));
    const data = Buffer.alloc(8);
    data.writeBigInt64LE(BigInt.asIntN(64, value));
    return this.bytes(name, data, [1]);
  }

  /** Numbers of a shape, which leaves out the batch dimension. */
  numbers(names: InputNames, values: ArrayLike<number>, dims: readonly number[] = [values.length]): Tensor[] {
    for (const name of names) {
      const datatype = this.#numberType(name);
      if (datatype !== undefined) return [numberTensor(name, { datatype, values, shape: [...this.#batch, ...dims] })];
    }
    return [];
  }

  /** Numbers that are in the datatype of the input already. */
  bytes(name: string, data: Buffer, dims: readonly number[]): Tensor[] {
    const datatype = this.#types.get(name)?.slice('TYPE_'.length) as Datatype | undefined;
    return datatype === undefined ? [] : [{ name, datatype, shape: [...this.#batch, ...dims], data }];
  }

  flag(name: string, value: boolean): Tensor[] {
    return this.#types.has(name) ? [boolTensor(name, value, [...this.#batch, 1])] : [];
  }

  texts(name: string, texts: readonly string[]): Tensor[] {
    return this.#types.has(name) ? [textTensor(name, texts, [...this.#batch, texts.length])] : [];
  }

  /** Supports what the model has an input for. */
  support(names: InputNames): Support {
    if (this.has(names)) return { kind: 'supported' };
    return refused(`This model has no input for it (${names.join(' or ')}).`);
  }

  #numberType(name: string): NumberDatatype | undefined {
    const type = this.#types.get(name)?.slice('TYPE_'.length) ?? '';
    return isNumberDatatype(type) ? type : undefined;
  }
}

/** The support of a parameter that no other backend has. */
export const onlyOnLlmapi = refused("Only models on TensorRT-LLM's LLM API support it.");

export function refused(reason: string): Support {
  return { kind: 'refused', reason };
}
