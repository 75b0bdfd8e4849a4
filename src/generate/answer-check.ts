import type { Sampling } from '../contracts/contract.ts';
import type { GenerateEvent, ToolCallDelta } from '../contracts/events.ts';
import { parseJsonObject } from '../json-object.ts';
import type { Verdict } from '../json-schema/validate.ts';
import { addCall, type MadeCall } from '../requests/made-calls.ts';
import type { Signal } from '../signal.ts';
import { FormReader } from './form-reader.ts';
import type { CallRules, Emulation } from './structured-emulation.ts';
import { structuredThread } from './structured-thread.ts';

interface CheckedAnswer {
  readonly prefix: string;
  readonly signal: Signal;
  /** Whether the request itself may end the answer before it is complete. */
  readonly mayStop: boolean;
}

/** Whether a request has stop sequences or tokens, which end an answer wherever they are found. */
export function mayStop({ stop = [], stopTokenIds = [] }: Sampling): boolean {
  return stop.length > 0 || stopTokenIds.length > 0;
}

/** Holds one answer, as it comes, against what it was asked to be. */
export class AnswerCheck {
  readonly #form: FormReader | undefined;
  readonly #rules: CallRules | undefined;
  readonly #signal: Signal;
  readonly #isGuided: boolean;
  readonly #mayStop: boolean;
  readonly #calls: MadeCall[] = [];
  #text = '';
  #fault: string | undefined;

  constructor({ form, calls, isGuided }: Emulation, { prefix, signal, mayStop }: CheckedAnswer) {
    this.#form = form && new FormReader(form, { prefix, signal });
    this.#signal = signal;
    this.#rules = calls;
    this.#isGuided = isGuided ?? false;
    this.#mayStop = mayStop;
  }

  /** Its text so far. */
  get whole(): string {
    return this.#form?.text ?? this.#text;
  }

  get calls(): readonly MadeCall[] {
    return this.#calls;
  }

  /** Takes a part of a call. */
  call(delta: ToolCallDelta): void {
    addCall(this.#calls, delta);
  }

  /** Takes the text that comes next; what is wrong with the answer by now, where nothing that follows can mend it. */
  text(text: string): string | undefined {
    if (!this.#form) this.#text += text;
    const fault = this.#form?.push(text);
    this.#fault ??= fault;
    // Text that has not the form may still lead to a call.
    return this.#rules ? undefined : this.#fault;
  }

  /** What is to be said of the whole answer. */
  async end(reason: Extract<GenerateEvent, { type: 'finish' }>['reason']): Promise<Verdict> {
    const isCut = reason === 'length' || (this.#mayStop && !this.#isWhole());
    const found = this.#isGuided ? this.#guidedVerdict(isCut) : undefined;
    if (found) return found;
    if (this.#calls.length > 0) return this.#judgeCalls(reason === 'length');
    if (this.#rules?.isRequired) return { kind: 'invalid', message: 'it calls no function' };
    if (!this.#form) return { kind: 'valid' };
    if (this.#fault !== undefined && reason !== 'length') return { kind: 'invalid', message: this.#fault };
    return this.#form.end(reason);
  }

  /** Whether it is plain to see that no stop sequence has cut off the answer. */
  #isWhole(): boolean {
    if (this.#calls.length === 0) return this.#form?.isWholeJson ?? false;
    return this.#calls.every((call) => parseJsonObject(call.arguments) !== undefined);
  }

  /** What is to be said of a guided answer without a look at its form: a part of it is as it should be. */
  #guidedVerdict(isCut: boolean): Verdict | undefined {
    const whole = [this.whole, ...this.#calls.map((call) => call.arguments)].join('\n');
    // The end of the tokens may be in the middle of a character.
    if ((isCut ? whole.replace(/\ufffd+$/, '') : whole).includes('\ufffd'))
      return { kind: 'invalid', message: 'it has a broken character' };
    if (!isCut) return undefined;
    return this.#fault === undefined || this.#rules ? { kind: 'valid' } : { kind: 'invalid', message: this.#fault };
  }

  async #judgeCalls(isCut: boolean): Promise<Verdict> {
    for (const { name, arguments: json } of this.#calls) {
      const schema = this.#rules?.schemas.get(name);
      const verdict = schema && (await structuredThread.judge({ json: schema }, json, this.#signal));
      if (verdict?.kind === 'undecided') return verdict;
      if (verdict?.kind !== 'invalid') continue;
      const fault = isCut ? 'they were cut off at the most tokens that the answer may have' : verdict.message;
      return { kind: 'invalid', message: `the arguments of ${name} are not by its schema: ${fault}` };
    }
    return { kind: 'valid' };
  }
}
