import type { Sampling } from '../contracts/contract.ts';
import type { GenerateEvent, ToolCallDelta } from '../contracts/events.ts';
import { parseJsonObject } from '../json-object.ts';
import type { Verdict } from '../json-schema/validate.ts';
import { addCall, type MadeCall } from '../requests/made-calls.ts';
import type { Signal } from '../signal.ts';
import { StructureReader } from './structure-reader.ts';
import type { CallRules, Emulation } from './structured-emulation.ts';
import { structuredThread } from './structured-thread.ts';

interface ResponseCheckOptions {
  readonly prefix: string;
  readonly signal: Signal;
  /** Whether the request itself may end the response before it is complete. */
  readonly mayStop: boolean;
}

/** Whether a request has stop sequences or stop tokens, which end a response anywhere. */
export function mayStop({ stop = [], stopTokenIds = [] }: Sampling): boolean {
  return stop.length > 0 || stopTokenIds.length > 0;
}

/** Checks one response, as it comes, against the requested structure. */
export class ResponseCheck {
  readonly #reader: StructureReader | undefined;
  readonly #rules: CallRules | undefined;
  readonly #signal: Signal;
  readonly #isGuided: boolean;
  readonly #mayStop: boolean;
  readonly #calls: MadeCall[] = [];
  #text = '';
  #violation: string | undefined;

  constructor({ structure, calls, isGuided }: Emulation, { prefix, signal, mayStop }: ResponseCheckOptions) {
    this.#reader = structure && new StructureReader(structure, { prefix, signal });
    this.#signal = signal;
    this.#rules = calls;
    this.#isGuided = isGuided ?? false;
    this.#mayStop = mayStop;
  }

  /** Its text so far. */
  get whole(): string {
    return this.#reader?.text ?? this.#text;
  }

  get calls(): readonly MadeCall[] {
    return this.#calls;
  }

  /** Takes a part of a call. */
  call(delta: ToolCallDelta): void {
    addCall(this.#calls, delta);
  }

  /** Takes the next text. Returns what is wrong with the response, if nothing that follows can fix it. */
  text(text: string): string | undefined {
    if (!this.#reader) this.#text += text;
    const violation = this.#reader?.push(text);
    this.#violation ??= violation;
    // Text that does not match may still lead to a call.
    return this.#rules ? undefined : this.#violation;
  }

  /** The verdict on the whole response. */
  async end(reason: Extract<GenerateEvent, { type: 'finish' }>['reason']): Promise<Verdict> {
    const isCut = reason === 'length' || (this.#mayStop && !this.#isWhole());
    const found = this.#isGuided ? this.#guidedVerdict(isCut) : undefined;
    if (found) return found;
    if (this.#calls.length > 0) return this.#judgeCalls(reason === 'length');
    if (this.#rules?.isRequired) return { kind: 'invalid', message: 'it calls no function' };
    if (!this.#reader) return { kind: 'valid' };
    if (this.#violation !== undefined && reason !== 'length') return { kind: 'invalid', message: this.#violation };
    return this.#reader.end(reason);
  }

  /** Whether it is certain that no stop sequence has cut off the response. */
  #isWhole(): boolean {
    if (this.#calls.length === 0) return this.#reader?.isWholeJson ?? false;
    return this.#calls.every((call) => parseJsonObject(call.arguments) !== undefined);
  }

  /** The verdict on a guided response without a check of its structure: a part of it is correct. */
  #guidedVerdict(isCut: boolean): Verdict | undefined {
    const whole = [this.whole, ...this.#calls.map((call) => call.arguments)].join('\n');
    // The last token may end in the middle of a character.
    if ((isCut ? whole.replace(/\ufffd+$/, '') : whole).includes('\ufffd'))
      return { kind: 'invalid', message: 'it contains a broken character (U+FFFD)' };
    if (!isCut) return undefined;
    return this.#violation === undefined || this.#rules
      ? { kind: 'valid' }
      : { kind: 'invalid', message: this.#violation };
  }

  async #judgeCalls(isCut: boolean): Promise<Verdict> {
    for (const { name, arguments: json } of this.#calls) {
      const schema = this.#rules?.schemas.get(name);
      const verdict = schema && (await structuredThread.judge({ json: schema }, json, this.#signal));
      if (verdict?.kind === 'undecided') return verdict;
      if (verdict?.kind !== 'invalid') continue;
      const violation = isCut ? 'they were cut off at the token limit' : verdict.message;
      return { kind: 'invalid', message: `the arguments of ${name} do not match its schema: ${violation}` };
    }
    return { kind: 'valid' };
  }
}
