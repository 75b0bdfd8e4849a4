import type { TokenLogprob } from '../../contracts/contract.ts';
import type { GenerateEvent, TokenUsage, ToolCallDelta } from '../../contracts/events.ts';
import type { ApiError } from '../../errors.ts';
import type { CompletionOptions } from '../../generate/completion-options.ts';
import { tokenTextOf } from '../../http/logprobs.ts';
import type { ResponseWriter } from '../../http/response-writer.ts';
import { eventOf, headFields, streamEnd, usageOf } from './response-fields.ts';
import type { ApiShape } from './shapes.ts';

/** Marks the position of the text in a prepared chunk. JSON escapes it, so it cannot occur elsewhere. */
const textMark = '\u0000';

/** The JSON members of a choice that are the same in every response of a shape. */
interface Pieces {
  readonly opening: string | undefined;
  readonly closing: string;
  /** The JSON before and after the text of a plain delta. */
  readonly delta: readonly [string, string];
}

const pieces = new WeakMap<ApiShape, Pieces>();

function piecesOf(shape: ApiShape): Pieces {
  const known = pieces.get(shape);
  if (known) return known;
  const [before = '', after = ''] = membersOf(shape.delta(textMark)).split(JSON.stringify(textMark));
  const made: Pieces = {
    opening: shape.opening && membersOf(shape.opening),
    closing: membersOf(shape.closing),
    delta: [before, after],
  };
  pieces.set(shape, made);
  return made;
}

/** The members of an object as JSON has them, without its braces. */
function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

/** The JSON of further members of a choice and of its chunk. */
interface TokenMembers {
  readonly inChoice: string;
  readonly inChunk: string;
}

const noMembers: TokenMembers = { inChoice: '', inChunk: '' };

/** Whether an event comes before the first chunk, whose members depend on it. */
function isAboutPrompt({ type }: GenerateEvent): boolean {
  return type === 'prompt-tokens' || type === 'prompt-ids';
}

/** Writes the events of a generation as server-sent chunks. A plain delta is its text between two prepared pieces. */
export class ChunkWriter implements ResponseWriter {
  readonly #options: CompletionOptions;
  readonly #shape: ApiShape;
  readonly #pieces: Pieces;
  /** The start of a chunk, up to the index of its choice. */
  readonly #head: string;
  /** The JSON before and after the text of a plain delta, for each choice. */
  readonly #plain: (readonly [string, string])[] = [];
  readonly #logprobs: ((tokens: readonly TokenLogprob[]) => object)[] = [];
  /** Whether a delta without logprobs is its text between the prepared pieces. */
  readonly #isPlain: boolean;
  /** Token ids that the next chunk of each choice has. */
  readonly #ids: number[][] = [];
  readonly #promptIds: (ArrayLike<number> | undefined)[] = [];
  #promptTokens = 0;
  #completionTokens = 0;

  constructor(shape: ApiShape, options: CompletionOptions) {
    this.#options = options;
    this.#shape = shape;
    const { choices, head, wantsLogprobs, wantsTokenIds, usage } = options;
    this.#isPlain = !usage.onEveryChunk && !wantsTokenIds;
    this.#pieces = piecesOf(shape);
    this.#head = `data: {${membersOf(headFields(head, shape.chunkObject))},"choices":[{"index":`;
    const [before, after] = this.#pieces.delta;
    const end = this.#ending('null', null);
    for (let index = 0; index < choices; index++) {
      if (wantsTokenIds) this.#ids.push([]);
      this.#plain.push([`${this.#head}${index},${before}`, after + end]);
      if (wantsLogprobs) this.#logprobs.push(shape.logprobs(tokenTextOf(options)));
    }
  }

  begin(events: readonly GenerateEvent[]): string {
    const { choices } = this.#options;
    const { opening } = this.#pieces;
    for (const event of events) if (isAboutPrompt(event)) this.write(event);
    let text = '';
    if (opening !== undefined) for (let index = 0; index < choices; index++) text += this.#chunk(index, opening);
    for (const event of events) if (!isAboutPrompt(event)) text += this.write(event);
    return text;
  }

  delta(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): string {
    if (logprobs === undefined && this.#isPlain) {
      if (text === '') return '';
      const [before, after] = this.#plain[choice] as readonly [string, string];
      return before + JSON.stringify(text) + after;
    }
    this.#completionTokens += tokens;
    if (text === '' && !logprobs?.length) return '';
    const figures = logprobs ? (this.#logprobs[choice]?.(logprobs) ?? null) : null;
    return this.#chunk(choice, membersOf(this.#shape.delta(text)), figures);
  }

  write(event: GenerateEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.delta(event.choice, event.text, event.tokens, event.logprobs);
      case 'reasoning-delta':
        return this.#chunk(event.choice, membersOf(this.#shape.reasoningDelta(event.text)));
      case 'tool-call-delta':
        return this.#chunk(event.choice, membersOf(this.#shape.callDelta(callDelta(event))));
      case 'finish':
        return this.#chunk(event.choice, this.#pieces.closing, null, event.reason);
      case 'prompt-tokens':
        this.#promptTokens += event.count;
        return '';
      case 'prompt-ids':
        // The choices of a chat have the same prompt.
        if (this.#shape.hasPromptPerChoice) this.#promptIds[event.choice] = event.ids;
        else if (this.#promptIds.length === 0) this.#promptIds.push(event.ids);
        return '';
      case 'token-ids':
        for (const id of event.ids) this.#ids[event.choice]?.push(id);
        return '';
      case 'prompt-logprobs':
        // Requests for them cannot stream.
        return '';
      case 'usage':
        return this.#usage(event);
    }
  }

  end(): string {
    return streamEnd;
  }

  /** No `[DONE]` follows an error, so that no client takes the response for complete. */
  fail(error: ApiError): string {
    return eventOf(error.body());
  }

  #chunk(index: number, members: string, logprobs: object | null = null, reason: string | null = null): string {
    const end = this.#ending(logprobs ? JSON.stringify(logprobs) : 'null', reason, this.#tokenMembers(index));
    return `${this.#head}${index},${members}${end}`;
  }

  /** The end of a chunk, after the members of its choice. */
  #ending(logprobs: string, reason: string | null, { inChoice, inChunk } = noMembers): string {
    const finish = reason === null ? 'null' : `"${reason}"`;
    return `,"logprobs":${logprobs},"finish_reason":${finish}${inChoice}}]${inChunk}${this.#usageMember()}}\n\n`;
  }

  /** The ids of the tokens since the last chunk of a choice, and with its first chunk those of its prompt. */
  #tokenMembers(index: number): TokenMembers {
    const ids = this.#ids[index];
    if (!ids) return noMembers;
    const { hasPromptPerChoice } = this.#shape;
    const at = hasPromptPerChoice ? index : 0;
    const promptIds = this.#promptIds[at];
    this.#promptIds[at] = undefined;
    const prompt = promptIds ? `,"prompt_token_ids":[${Array.from(promptIds).join()}]` : '';
    const own = `,"token_ids":[${ids.splice(0).join()}]`;
    return hasPromptPerChoice ? { inChoice: prompt + own, inChunk: '' } : { inChoice: own, inChunk: prompt };
  }

  #usageMember(): string {
    const { inTheEnd, onEveryChunk } = this.#options.usage;
    if (!onEveryChunk) return inTheEnd ? ',"usage":null' : '';
    const usage = usageOf({ promptTokens: this.#promptTokens, completionTokens: this.#completionTokens });
    return `,"usage":${JSON.stringify(usage)}`;
  }

  #usage(tokens: TokenUsage): string {
    const { head, usage } = this.#options;
    if (!usage.inTheEnd) return '';
    const chunk = headFields(head, this.#shape.chunkObject);
    return eventOf({ ...chunk, choices: [], usage: usageOf(tokens) });
  }
}

/** The name comes once, with the id; then parts of the arguments. */
function callDelta({ index, id, name, arguments: fragment }: ToolCallDelta): object {
  if (id === undefined) return { index, function: { arguments: fragment } };
  return { index, id, type: 'function', function: { name, arguments: fragment } };
}
