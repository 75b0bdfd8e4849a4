import type { InferResponse } from '../kserve/server.ts';
import { readTexts } from '../kserve/tensors.ts';
import { AccumulatedText } from './accumulated-text.ts';
import type { GenerateDecoder, GenerateRequest, GenerateSink } from './contract.ts';
import { reusedBlocks } from './trtllm-inputs.ts';

/** What the responses of a model look like. */
interface TrtllmDecoderOptions {
  /** Whether each response carries all text so far. */
  readonly accumulates: boolean;
  /** Whether the text begins with the prompt. */
  readonly echoesPrompt: boolean;
  /** Whether there is one response and no more. */
  readonly isSingle: boolean;
  /** How many tokens a block of the cache holds; present where the request includes the reuse of blocks. */
  readonly blockSize: number | undefined;
}

/** Reads the responses of one request to a TensorRT-LLM model that returns text. They have no finish reason. */
export class TrtllmDecoder implements GenerateDecoder {
  readonly #prompt: string;
  readonly #beams: GenerateRequest['beams'];
  readonly #options: TrtllmDecoderOptions;
  readonly #accumulated: AccumulatedText | undefined;
  #reused: number | undefined;
  #isPromptCounted = false;
  #isFinished = false;

  constructor({ prompt, beams }: GenerateRequest, options: TrtllmDecoderOptions) {
    this.#prompt = prompt;
    this.#beams = beams;
    this.#options = options;
    this.#accumulated = options.accumulates && !beams ? new AccumulatedText() : undefined;
  }

  push(response: InferResponse, sink: GenerateSink): void {
    if (this.#isFinished) return;
    const text = response.text('text_output');
    if (text !== undefined) this.#pushData(response, text, sink);
    // A BLS model, and at times an ensemble, says only in a response without text that the one before was the last.
    if (response.final || (this.#options.isSingle && text !== undefined)) this.#finish(sink);
  }

  #pushData(response: InferResponse, text: string, sink: GenerateSink): void {
    if (!this.#isPromptCounted) {
      this.#isPromptCounted = true;
      const count = response.uint32('num_input_tokens');
      if (count !== undefined) sink.promptTokens(count);
    }
    if (this.#options.blockSize !== undefined) this.#reused = response.uint32(reusedBlocks) ?? this.#reused;
    // Where responses are not counted, each is one token or more.
    const tokens = response.uint32('num_output_tokens') ?? 1;
    if (this.#beams) this.#pushBeams(readTexts(response.raw('text_output') as Buffer), tokens, sink);
    else sink.text(this.#accumulated ? this.#accumulated.next(text) : this.#completionOf(text), tokens, undefined, 0);
  }

  /** All beams, the best first. Their tokens come as one sum, of which each has its share. */
  #pushBeams(texts: readonly string[], tokens: number, sink: GenerateSink): void {
    const share = Math.floor(tokens / texts.length);
    const rest = tokens % texts.length;
    texts.slice(0, this.#beams?.completions).forEach((text, beam) => {
      sink.text(this.#completionOf(text), share + (beam < rest ? 1 : 0), undefined, beam);
    });
  }

  #completionOf(text: string): string {
    return this.#options.echoesPrompt ? withoutPrompt(text, this.#prompt) : text;
  }

  #finish(sink: GenerateSink): void {
    this.#isFinished = true;
    if (this.#reused !== undefined) sink.cachedTokens(this.#reused * (this.#options.blockSize ?? 0));
    const rest = this.#accumulated?.rest() ?? '';
    if (rest !== '') sink.text(rest, 0, undefined, 0);
    for (let beam = 0; beam < (this.#beams?.completions ?? 1); beam++) sink.finish(undefined, beam);
  }
}

/** What may be missing in an echo: postprocessing leaves special tokens out. */
const specialToken = /<[^<>\s]+>/y;

/** A text without the prompt in front of it; the whole text where it does not begin with the prompt. */
function withoutPrompt(text: string, prompt: string): string {
  if (text.startsWith(prompt)) return text.slice(prompt.length);
  let at = 0;
  for (let from = 0; from < prompt.length; ) {
    specialToken.lastIndex = from;
    const special = specialToken.exec(prompt)?.[0];
    if (special !== undefined && !text.startsWith(special, at)) from += special.length;
    else if (text[at] === prompt[from]) {
      at++;
      from++;
    } else if (/\s/.test(prompt[from] as string)) from++;
    else if (at < text.length && /\s/.test(text[at] as string)) at++;
    else return text;
  }
  return text.slice(at);
}
