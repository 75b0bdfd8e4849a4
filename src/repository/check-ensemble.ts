import type { ModelTensor } from '../kserve/messages.ts';
import type { Finding } from './finding.ts';
import type { EnsembleStep } from './pbtxt/model-config.ts';
import { suggest } from './pbtxt/suggest.ts';
import type { AvailableModel, RepositoryModel } from './repository-model.ts';

/** Checks that the steps of an ensemble match: every model, every tensor and every type. */
export function checkEnsemble(model: AvailableModel, models: readonly RepositoryModel[]): readonly Finding[] {
  if (model.config.platform !== 'ensemble') return [];
  return new EnsembleCheck(model, models).run();
}

/** A tensor of the ensemble, and the model that provides it. */
interface Source {
  readonly tensor: ModelTensor | undefined;
  readonly provider: string;
  readonly batched: boolean;
}

class EnsembleCheck {
  readonly #model: AvailableModel;
  readonly #models: readonly RepositoryModel[];
  readonly #findings: Finding[] = [];
  readonly #sources = new Map<string, Source>();
  readonly #used = new Set<string>();

  constructor(model: AvailableModel, models: readonly RepositoryModel[]) {
    this.#model = model;
    this.#models = models;
  }

  run(): readonly Finding[] {
    const { config } = this.#model;
    const steps = config.ensemble_scheduling?.step ?? [];
    if (steps.length === 0)
      this.#error('ensemble_scheduling', 'an ensemble needs ensemble_scheduling with at least one step.');
    for (const tensor of config.input)
      this.#provide(tensor.name, { tensor, provider: 'the ensemble', batched: this.#batched() });
    for (const [at, step] of steps.entries()) this.#collect(step, `ensemble_scheduling.step[${at}]`);
    for (const [at, step] of steps.entries()) this.#checkInputs(step, `ensemble_scheduling.step[${at}]`);
    for (const [at, tensor] of config.output.entries()) this.#checkOutput(tensor, `output[${at}]`);
    for (const [at, { name }] of config.input.entries()) {
      if (!this.#used.has(name)) this.#report('warning', `input[${at}]`, `no step uses the input ${name}.`);
    }
    return this.#findings;
  }

  /** The tensors that a step provides. */
  #collect(step: EnsembleStep, path: string): void {
    const inner = this.#find(step, path);
    for (const [name, provided] of Object.entries(step.output_map)) {
      const at = `${path}.output_map[${name}]`;
      const outputs = inner?.config.output ?? [];
      const tensor = this.#tensorNamed(name, { side: 'output', tensors: outputs, step, at });
      if (this.#sources.has(provided))
        this.#error(at, `${provided} is already provided by ${this.#sources.get(provided)?.provider}.`);
      else this.#provide(provided, { tensor, provider: step.model_name, batched: isBatched(inner) });
    }
  }

  #checkInputs(step: EnsembleStep, path: string): void {
    const inner = this.#models.find(({ name }) => name === step.model_name);
    const inputs = inner?.state === 'available' ? inner.config.input : [];
    for (const [name, taken] of Object.entries(step.input_map)) {
      const at = `${path}.input_map[${name}]`;
      const tensor = this.#tensorNamed(name, { side: 'input', tensors: inputs, step, at });
      const source = this.#sources.get(taken);
      this.#used.add(taken);
      if (source === undefined) this.#error(at, `no step provides ${taken}.${suggest(taken, this.#sources.keys())}`);
      else if (tensor !== undefined && inner?.state === 'available') {
        this.#checkFit(at, source, { tensor, provider: step.model_name, batched: isBatched(inner) });
      }
    }
    for (const { name, optional } of inputs) {
      if (optional !== true && !Object.hasOwn(step.input_map, name)) {
        this.#error(path, `${step.model_name} needs the input ${name}, which this step does not provide.`);
      }
    }
  }

  #checkOutput(tensor: ModelTensor, path: string): void {
    const source = this.#sources.get(tensor.name);
    if (source === undefined) this.#error(path, `no step provides the output ${tensor.name}.`);
    else this.#checkFit(path, source, { tensor, provider: 'the ensemble', batched: this.#batched() });
  }

  /** A model that leaves its tensors to auto-complete can't be checked. */
  #tensorNamed(
    name: string,
    { side, tensors, step, at }: { side: string; tensors: readonly ModelTensor[]; step: EnsembleStep; at: string },
  ): ModelTensor | undefined {
    const tensor = tensors.find((candidate) => candidate.name === name);
    if (tensor === undefined && tensors.length > 0) {
      const hint = suggest(
        name,
        tensors.map((candidate) => candidate.name),
      );
      this.#error(at, `${step.model_name} has no ${side} ${name}.${hint}`);
    }
    return tensor;
  }

  #checkFit(path: string, from: Source, to: Source): void {
    if (from.tensor === undefined || to.tensor === undefined) return;
    const { name, data_type: provided } = from.tensor;
    const { data_type: required } = to.tensor;
    if (provided !== required) {
      this.#error(
        path,
        `${name} of ${from.provider} is ${provided}, but ${to.tensor.name} of ${to.provider} is ${required}.`,
      );
    } else if (!shapesFit(shapeOf(from), shapeOf(to))) {
      const [ours, theirs] = [shapeOf(from), shapeOf(to)].map((shape) => `[${shape.join(', ')}]`);
      this.#error(
        path,
        `${name} of ${from.provider} is ${ours}, but ${to.tensor.name} of ${to.provider} is ${theirs}.`,
      );
    }
  }

  #find(step: EnsembleStep, path: string): AvailableModel | undefined {
    const inner = this.#models.find(({ name }) => name === step.model_name);
    if (inner === undefined) {
      const names = this.#models.map(({ name }) => name);
      this.#error(
        path,
        `the model ${JSON.stringify(step.model_name)} does not exist.${suggest(step.model_name, names)}`,
      );
    } else if (inner.state === 'unavailable') this.#error(path, `the model ${step.model_name} cannot be served.`);
    else return inner;
    return undefined;
  }

  #batched(): boolean {
    return isBatched(this.#model);
  }

  #provide(name: string, source: Source): void {
    if (!this.#sources.has(name)) this.#sources.set(name, source);
  }

  #error(path: string, text: string): void {
    this.#report('error', path, text);
  }

  #report(severity: Finding['severity'], path: string, text: string): void {
    const { configFile, read } = this.#model.source;
    this.#findings.push({ severity, file: configFile, position: read?.positions.get(path), text });
  }
}

function isBatched(model: AvailableModel | undefined): boolean {
  return (model?.config.max_batch_size ?? 0) > 0;
}

function shapeOf({ tensor, batched }: Source): readonly number[] {
  const dims = tensor?.dims ?? [];
  return batched ? [-1, ...dims] : dims;
}

/** A size of -1 fits any other: the actual size is known only at run time. */
function shapesFit(left: readonly number[], right: readonly number[]): boolean {
  return (
    left.length === right.length && left.every((size, at) => size === right[at] || size === -1 || right[at] === -1)
  );
}
