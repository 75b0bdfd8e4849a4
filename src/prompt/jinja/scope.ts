import { TemplateError, Undefined, type Value } from './values.ts';

/** Names and their values; a loop's body, a macro and a block each have one of their own. */
export class Scope {
  private readonly values = new Map<string, Value>();
  private readonly parent: Scope | undefined;

  constructor(parent?: Scope) {
    this.parent = parent;
  }

  set(name: string, value: Value): void {
    this.values.set(name, value);
  }

  get(name: string): Value {
    const value = this.values.get(name);
    if (value !== undefined) return value;
    return this.parent === undefined ? new Undefined(`'${name}' is undefined`) : this.parent.get(name);
  }
}

/** How much work one rendering may be. */
export interface Limits {
  /** Milliseconds. */
  readonly time: number;
  /** Nodes evaluated, where a bound is wanted that no clock moves. */
  readonly steps?: number;
}

const largestOutput = 64 * 1024 * 1024;

/** Counts the work of one rendering and ends it when it is too much. */
export class Meter {
  private steps = 0;
  private readonly mostSteps: number;
  private readonly deadline: number;

  constructor(limits: Limits) {
    this.mostSteps = limits.steps ?? Number.POSITIVE_INFINITY;
    this.deadline = performance.now() + limits.time;
  }

  step(): void {
    this.steps++;
    if (this.steps > this.mostSteps) throw tooLong();
    if ((this.steps & 255) === 0) this.clock();
  }

  /** Before a filter or a function, each of which may go through all of a long text. */
  clock(): void {
    if (performance.now() > this.deadline) throw tooLong();
  }

  output(length: number): void {
    if (length > largestOutput) throw new TemplateError('The chat template writes more than 64 MiB.', 'limit');
  }
}

function tooLong(): TemplateError {
  return new TemplateError('The chat template takes too long for this conversation.', 'limit');
}
