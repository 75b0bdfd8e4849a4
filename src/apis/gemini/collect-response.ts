import type { TokenLogprob } from '../../contracts/contract.ts';
import type { Generation } from '../../contracts/events.ts';
import { runInto } from '../../generate/run-into.ts';
import { candidateOf, type ResponseHead, type ResponsePart } from './candidate.ts';
import { type PartSink, ResponseState } from './response-state.ts';

interface CollectOptions {
  readonly head: ResponseHead;
  readonly choices: number;
  readonly includesThoughts: boolean;
}

/** Folds the events of a generation into the response of a request without streaming. */
export async function collectResponse(generation: Generation, { head, ...options }: CollectOptions) {
  const lists = Array.from({ length: options.choices }, () => new PartList());
  const at = (choice: number): PartList => lists[choice] as PartList;
  const sink: PartSink = {
    text: (choice, text, logprobs) => at(choice).text(text, logprobs),
    thought: (choice, text) => at(choice).add({ text, thought: true }),
    call: (choice, part) => at(choice).add(part),
  };
  const state = new ResponseState(sink, options);
  await runInto(generation, state);
  return {
    candidates: state
      .endings()
      .map((ending, index) => candidateOf(index, at(index).parts(), { ending, logprobs: at(index).logprobs })),
    usageMetadata: state.usage(),
    ...head,
  };
}

class PartList {
  readonly #parts: ResponsePart[] = [];
  #logprobs: TokenLogprob[] | undefined;

  get logprobs(): readonly TokenLogprob[] | undefined {
    return this.#logprobs;
  }

  text(text: string, logprobs: readonly TokenLogprob[] | undefined): void {
    if (logprobs) {
      this.#logprobs ??= [];
      for (const logprob of logprobs) this.#logprobs.push(logprob);
    }
    if (text !== '') this.add({ text });
  }

  /** Texts of the same kind become one part. */
  add(part: ResponsePart): void {
    const last = this.#parts.at(-1);
    if (last && 'text' in last && 'text' in part && last.thought === part.thought) last.text += part.text;
    else this.#parts.push(part);
  }

  /** Never empty: clients take a candidate without parts for a failure. */
  parts(): readonly ResponsePart[] {
    return this.#parts.length > 0 ? this.#parts : [{ text: '' }];
  }
}
