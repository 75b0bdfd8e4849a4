import type { GenerateEvent } from '../contracts/events.ts';
import { addCall, type MadeCall } from '../openai/made-calls.ts';
import type { Verdict } from '../openai/schema-validate.ts';
import { FormReader } from './form-reader.ts';
import type { CallRules, Emulation } from './structured-emulation.ts';
import { structuredThread } from './structured-thread.ts';

type ChoiceEvent = Extract<GenerateEvent, { choice: number }>;

/** Holds one answer, as it comes, against what it was asked to be. */
export class AnswerCheck {
  readonly #form: FormReader | undefined;
  readonly #rules: CallRules | undefined;
  readonly #signal: AbortSignal;
  readonly #calls: MadeCall[] = [];
  #text = '';
  #fault: string | undefined;

  constructor({ form, calls }: Emulation, { prefix, signal }: { prefix: string; signal: AbortSignal }) {
    this.#form = form && new FormReader(form, { prefix, signal });
    this.#signal = signal;
    this.#rules = calls;
  }

  get text(): string {
    return this.#form?.text ?? this.#text;
  }

  get calls(): readonly MadeCall[] {
    return this.#calls;
  }

  /** Takes what comes next; what is wrong with the answer by now, where nothing that follows can mend it. */
  push(event: ChoiceEvent): string | undefined {
    if (event.type === 'tool-call-delta') addCall(this.#calls, event);
    if (event.type !== 'text-delta') return undefined;
    if (!this.#form) this.#text += event.text;
    const fault = this.#form?.push(event.text);
    this.#fault ??= fault;
    // Text that has not the form may still lead to a call.
    return this.#rules ? undefined : this.#fault;
  }

  /** What is to be said of the whole answer. */
  async end(reason: Extract<ChoiceEvent, { type: 'finish' }>['reason']): Promise<Verdict> {
    if (this.#calls.length > 0) return this.#judgeCalls(reason === 'length');
    if (this.#rules?.isRequired) return { kind: 'invalid', message: 'it calls no function' };
    if (!this.#form) return { kind: 'valid' };
    if (this.#fault !== undefined && reason !== 'length') return { kind: 'invalid', message: this.#fault };
    return this.#form.end(reason);
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
