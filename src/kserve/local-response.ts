import type { InferResponse, ParameterValue } from './server.ts';
import { readText, type Tensor } from './tensors.ts';

type LocalResponseParts = Pick<LocalResponse, 'model' | 'version' | 'id' | 'outputs' | 'final'>;

/** The parameters of every response of a decoupled model: whether it was the last. */
const parametersOf = {
  true: Object.freeze({ triton_final_response: true }),
  false: Object.freeze({ triton_final_response: false }),
};

/** A response that was created in this process and was never serialized. */
export class LocalResponse implements InferResponse {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly final: boolean;
  readonly outputs: readonly Tensor[];

  constructor({ model, version, id, outputs, final }: LocalResponseParts) {
    this.model = model;
    this.version = version;
    this.id = id;
    this.outputs = outputs;
    this.final = final;
  }

  get parameters(): Readonly<Record<string, ParameterValue>> {
    return parametersOf[`${this.final}`];
  }

  raw(name: string): Buffer | undefined {
    return this.outputs.find((output) => output.name === name)?.data;
  }

  text(name: string): string | undefined {
    const data = this.raw(name);
    return data === undefined ? undefined : readText(data);
  }

  uint32(name: string): number | undefined {
    const data = this.raw(name);
    return data === undefined || data.length < 4 ? undefined : data.readUInt32LE(0);
  }

  detached(): this {
    return this;
  }
}
