import type { Structure } from '../contracts/contract.ts';
import type { GenerateEvent } from '../contracts/events.ts';
import type { Verdict } from '../json-schema/validate.ts';
import { JsonProgress } from '../output/json-progress.ts';
import type { Signal } from '../signal.ts';
import { structuredThread } from './structured-thread.ts';

/** The structures that a response can be checked against. */
export type CheckedForm = Exclude<Structure, { grammar: string }>;

type FinishReason = Extract<GenerateEvent, { type: 'finish' }>['reason'];

/** Reads one response that must match a structure. */
export class FormReader {
  readonly #form: CheckedForm;
  readonly #signal: Signal;
  readonly #json: JsonProgress | undefined;
  /** Characters of an echoed prompt before the response. */
  #toSkip: number;
  #text = '';

  constructor(form: CheckedForm, { prefix, signal }: { readonly prefix: string; readonly signal: Signal }) {
    this.#signal = signal;
    this.#form = form;
    this.#toSkip = prefix.length;
    if ('json' in form || 'json_object' in form) this.#json = new JsonProgress({ mustBeObject: 'json_object' in form });
  }

  get text(): string {
    return this.#text;
  }

  /** Whether the text so far is whole JSON. */
  get isWholeJson(): boolean {
    return this.#json?.isComplete ?? false;
  }

  /** Takes more of the response. Returns what is wrong with it, if nothing that follows can fix it. */
  push(added: string): string | undefined {
    const text = added.slice(this.#toSkip);
    this.#toSkip -= added.length - text.length;
    this.#text += text;
    if (this.#json) return this.#json.push(text) ? undefined : 'it is not JSON';
    if (!('choice' in this.#form)) return undefined;
    return this.#form.choice.some((choice) => choice.startsWith(this.#text)) ? undefined : 'it is none of the choices';
  }

  /** The verdict on the whole response. */
  async end(reason: FinishReason): Promise<Verdict> {
    const verdict = await this.#judge();
    if (verdict.kind !== 'invalid' || reason !== 'length') return verdict;
    return { kind: 'invalid', message: 'it was cut off at the token limit' };
  }

  async #judge(): Promise<Verdict> {
    const form = this.#form;
    if ('choice' in form)
      return form.choice.includes(this.#text)
        ? { kind: 'valid' }
        : { kind: 'invalid', message: 'it is none of the choices' };
    if (this.#json && !this.#json.isComplete) return { kind: 'invalid', message: 'it is not JSON' };
    return structuredThread.judge(form, this.#text, this.#signal);
  }
}
