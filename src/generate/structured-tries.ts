import type { TokenLogprob } from '../contracts/contract.ts';
import type { EventFold, GenerateEvent, Generation, OtherEvent, TokenUsage } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { Verdict } from '../json-schema/validate.ts';
import { anySignal } from '../signal.ts';
import { HeldEvents } from './held-events.ts';
import type { Round, Run, StartRound } from './plan.ts';
import { readyGeneration } from './ready-generation.ts';
import { mayStop, ResponseCheck } from './response-check.ts';
import { runInto } from './run-into.ts';
import { seeded } from './seeds.ts';
import { type Emulation, invalidResponse, undecided, type WriteCorrection } from './structured-emulation.ts';
import { timeKeeper } from './time-left.ts';
import type { Prompt } from './token-inputs.ts';
import { UsageSum } from './usage-sum.ts';

type Finish = Extract<GenerateEvent, { type: 'finish' }>;

/** One response that matches its structure, and the usage of all its tries. */
interface SettledChoice {
  readonly events: HeldEvents;
  /** Undefined if the tokens were not counted. */
  readonly usages: readonly (TokenUsage | undefined)[];
}

interface TryOptions {
  readonly emulation: Emulation;
  readonly begin: StartRound;
  readonly correct: WriteCorrection | undefined;
}

/** Generates each response until it matches its structure or has no tries left; all responses at the same time. */
export async function triesOf(
  run: Run,
  round: Round,
  options: TryOptions,
): Promise<{ readonly generation: Generation; readonly tries: number }> {
  const { prompts, choicesPerPrompt } = round;
  const stop = new AbortController();
  const signal = anySignal(run.signal, stop.signal);
  const tries = new Tries({ ...run, signal, shared: run.shared ?? {} }, round, options);
  const choices = Array.from({ length: prompts.length * choicesPerPrompt }, (_, choice) => tries.settle(choice));
  try {
    const settled = await Promise.all(choices);
    const events: GenerateEvent[] = settled.flatMap((each) => each.events.take());
    const usage = usageOf(settled, choicesPerPrompt);
    if (usage) events.push({ type: 'usage', ...usage });
    return {
      generation: readyGeneration(() => events),
      tries: Math.max(...settled.map(({ usages }) => usages.length)),
    };
  } catch (error) {
    // The other responses are not needed any more.
    stop.abort();
    throw error;
  }
}

class Tries {
  readonly #run: Run;
  readonly #round: Round;
  readonly #emulation: Emulation;
  readonly #begin: StartRound;
  readonly #correct: WriteCorrection | undefined;
  readonly #timeLeft: () => number | undefined;

  constructor(run: Run, round: Round, { emulation, begin, correct }: TryOptions) {
    this.#run = run;
    this.#round = round;
    this.#emulation = emulation;
    this.#begin = begin;
    this.#correct = correct;
    this.#timeLeft = timeKeeper(round.timeout);
  }

  async settle(choice: number): Promise<SettledChoice> {
    const { prompts, prefixes, choicesPerPrompt, sampling } = this.#round;
    const at = Math.floor(choice / choicesPerPrompt);
    const prefix = prefixes[at] ?? '';
    // With the same prompt, a model that takes the likeliest token returns the same response.
    const canDiffer = this.#correct !== undefined || sampling.temperature !== 0;
    const most = 1 + (canDiffer ? this.#emulation.retries : 0);
    const usages: (TokenUsage | undefined)[] = [];
    let prompt = prompts[at] as Prompt;
    let violation: string | undefined;
    for (;;) {
      const tried = await this.#try({ prompt, prefix, choice, number: usages.length }).catch((error: unknown) => {
        throw violation !== undefined && isTooLong(error)
          ? invalidResponse(this.#emulation, violation, usages.length)
          : error;
      });
      usages.push(tried.usage);
      ({ violation } = tried);
      if (violation === undefined) return { events: tried.events, usages };
      if (usages.length === most) throw invalidResponse(this.#emulation, violation, most);
      if (this.#correct) prompt = { text: await this.#correct({ text: tried.text, calls: tried.calls, violation }) };
    }
  }

  async #try({ prompt, prefix, choice, number }: StructuredTry) {
    const { sampling, choicesPerPrompt, id, prompts } = this.#round;
    const isOnly = prompts.length * choicesPerPrompt === 1;
    const offset = choice % choicesPerPrompt;
    const generation = await this.#begin(this.#run, {
      ...this.#round,
      id: isOnly && number === 0 ? id : `${id}-${choice}-${number}`,
      prompts: [prompt],
      prefixes: [prefix],
      choicesPerPrompt: 1,
      sampling: seeded(sampling, offset + number * choicesPerPrompt),
      timeout: this.#timeLeft(),
    });
    const { signal } = this.#run;
    const check = new ResponseCheck(this.#emulation, { prefix, signal, mayStop: mayStop(sampling) });
    const read = new ReadTry(check, choice);
    await runInto(generation, read);
    const verdict = await read.verdict();
    if (verdict?.kind === 'undecided') throw undecided(this.#emulation, verdict.message);
    const violation = verdict?.kind === 'invalid' ? verdict.message : read.violation;
    return { events: read.events, usage: read.usage, violation, text: check.whole, calls: check.calls };
  }
}

/** Reads one try: its events are buffered until it is known to match its structure. */
class ReadTry implements EventFold {
  readonly events = new HeldEvents();
  readonly #check: ResponseCheck;
  readonly #choice: number;
  usage: TokenUsage | undefined;
  /** What is wrong with it, if nothing that follows can fix it. */
  violation: string | undefined;
  #finish: Finish | undefined;

  constructor(check: ResponseCheck, choice: number) {
    this.#check = check;
    this.#choice = choice;
  }

  text(_choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.events.text(this.#choice, text, tokens, logprobs);
    const violation = this.#check.text(text);
    this.violation ??= violation;
  }

  event(event: OtherEvent): void {
    if (event.type === 'usage') this.usage = event;
    if (event.type === 'usage' || event.type === 'prompt-tokens') return;
    this.events.event({ ...event, choice: this.#choice });
    if (event.type === 'tool-call-delta') this.#check.call(event);
    if (event.type === 'finish') this.#finish = event;
  }

  /** The verdict on the whole; undefined if it is known already. */
  async verdict(): Promise<Verdict | undefined> {
    const finish = this.#finish;
    if (!finish || (this.violation !== undefined && finish.reason !== 'length')) return undefined;
    return this.#check.end(finish.reason);
  }
}

interface StructuredTry {
  readonly prompt: Prompt;
  readonly prefix: string;
  readonly choice: number;
  /** From 0 on. */
  readonly number: number;
}

/** The wrong response and its correction may be what exceeds the context length. */
function isTooLong(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'context_length_exceeded';
}

/** The usage of all tries. Responses to one prompt count the prompt of their first try once, as elsewhere. */
function usageOf(settled: readonly SettledChoice[], choicesPerPrompt: number): TokenUsage | undefined {
  const sum = new UsageSum();
  for (const [choice, { usages }] of settled.entries())
    for (const [number, usage] of usages.entries())
      sum.add(usage, { countsPrompt: number > 0 || choice % choicesPerPrompt === 0 });
  return sum.total;
}
