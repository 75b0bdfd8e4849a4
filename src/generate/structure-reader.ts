import type { Structure } from '../contracts/contract.ts';
import type { GenerateEvent } from '../contracts/events.ts';
import type { Verdict } from '../json-schema/validate.ts';
import { JsonProgress } from '../output/json-progress.ts';
import type { Signal } from '../signal.ts';
import { structuredThread } from './structured-thread.ts';

/** The structures that a response can be checked against. */
export type CheckableStructure = Exclude<Structure, { grammar: string } | { structural_tag: unknown }>;

type FinishReason = Extract<GenerateEvent, { type: 'finish' }>['reason'];

/** Reads one response that must match a structure. */
export class StructureReader {
  readonly #structure: CheckableStructure;
  readonly #signal: Signal;
  readonly #json: JsonProgress | undefined;
  /** Characters of an echoed prompt before the response. */
  #toSkip: number;
  #text = '';

  constructor(structure: CheckableStructure, { prefix, signal }: { readonly prefix: string; readonly signal: Signal }) {
    this.#signal = signal;
    this.#structure = structure;
    this.#toSkip = prefix.length;
    if ('json' in structure || 'json_object' in structure)
      this.#json = new JsonProgress({ mustBeObject: 'json_object' in structure });
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
    if (!('choice' in this.#structure)) return undefined;
    return this.#structure.choice.some((choice) => choice.startsWith(this.#text))
      ? undefined
      : 'it is none of the choices';
  }

  /** The verdict on the whole response. */
  async end(reason: FinishReason): Promise<Verdict> {
    const verdict = await this.#judge();
    if (verdict.kind !== 'invalid' || reason !== 'length') return verdict;
    return { kind: 'invalid', message: 'it was cut off at the token limit' };
  }

  async #judge(): Promise<Verdict> {
    const structure = this.#structure;
    if ('choice' in structure)
      return structure.choice.includes(this.#text)
        ? { kind: 'valid' }
        : { kind: 'invalid', message: 'it is none of the choices' };
    if (this.#json && !this.#json.isComplete) return { kind: 'invalid', message: 'it is not JSON' };
    return structuredThread.judge(structure, this.#text, this.#signal);
  }
}
