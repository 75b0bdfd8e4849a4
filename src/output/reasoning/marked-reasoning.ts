import { MarkerFinder } from '../marker-finder.ts';
import { isSpace } from '../tools/characters.ts';
import { JoinedParts, MarkedText } from './marked-text.ts';
import type { ReasoningOptions, ReasoningParser, ReasoningSink, ReasoningTurn } from './reasoning-parser.ts';

const FENCE = '```';
const NEWLINE = 0x0a;

/** Markers that belong together. */
export interface ReasoningMarkers {
  readonly open: readonly string[];
  readonly close: readonly string[];
  /** What may enclose the response that follows. */
  readonly response?: { readonly open: string; readonly close: string };
}

/** The differences between formats that write reasoning between markers. */
export interface MarkedReasoningOptions {
  readonly markers: readonly [ReasoningMarkers, ...ReasoningMarkers[]];
  /** Whether the completion begins in reasoning without an opening marker, unless the prompt has closed it. */
  readonly beginsInReasoning?: boolean;
  /** Whether blanks at the beginning belong to the header of the message, not to the response. */
  readonly dropsLeadingBlanks?: boolean;
  /** Whether the markers are special tokens: these are never a part of a text and count wherever they are. */
  readonly areSpecial?: boolean;
  /** What ends reasoning that was not closed, and is a part of the response. */
  readonly responseBegins?: readonly string[];
}

/**
 * Reads reasoning between markers.
 *
 * Blanks around markers belong to them, except those between text of the response and reasoning that begins later: they
 * separate that text from what follows the reasoning. Further reasoning begins a line of its own.
 *
 * A response may also write **about** the markers. So one that opens reasoning counts only where it begins a line, and
 * not in a fenced block of code; elsewhere it is text.
 */
export class MarkedReasoning implements ReasoningParser {
  readonly #options: MarkedReasoningOptions;
  readonly #source = new MarkedText();
  readonly #reasoning = new JoinedParts();
  #finder: MarkerFinder;
  #sink: ReasoningSink | undefined;
  #isReasoning = false;
  /** The markers of the reasoning that was opened last. */
  #markers: ReasoningMarkers;
  /** Whether only blanks have come since the reasoning, or the response, began; and whether these are dropped. */
  #isFresh = true;
  #dropsBlanks: boolean;
  /** Blanks that are dropped if a marker follows. */
  #blanks = '';
  #mayBeEnclosed = false;
  #isEnclosed = false;
  #lineIsBlank = true;
  #isInFence = false;

  constructor(options: MarkedReasoningOptions, context: ReasoningOptions) {
    this.#options = options;
    this.#markers = options.markers[0];
    this.#dropsBlanks = options.dropsLeadingBlanks ?? false;
    this.#finder = this.#responseFinder();
    const begin = beginOf(options, context);
    if (begin === 'response') this.#beginResponse();
    else if (begin) this.#beginReasoning(begin);
    if (context.continued) this.#goOn(context.continued);
  }

  push(text: string, sink: ReasoningSink): void {
    this.#sink = sink;
    this.#source.add(text);
    while (!this.#source.isRead) {
      this.#take(this.#source.read(this.#finder));
      const marker = this.#finder.found;
      if (marker === undefined) continue;
      if (this.#isReasoning) this.#meetInReasoning(marker);
      else this.#meetInResponse(marker);
    }
  }

  end(sink: ReasoningSink): void {
    this.#sink = sink;
    this.#take(this.#source.end());
    this.#give(this.#blanks);
    this.#blanks = '';
  }

  #meetInReasoning(marker: string): void {
    const isOpening = this.#markers.open.includes(marker);
    // The model may open what was open from the beginning.
    if (isOpening && this.#isFresh) return;
    if (!isOpening) this.#beginResponse();
    if (!this.#markers.close.includes(marker)) this.#take(marker);
  }

  #meetInResponse(marker: string): void {
    const opening = this.#options.markers.find(({ open }) => open.includes(marker));
    const enclosure = this.#markers.response;
    if (opening && (this.#options.areSpecial || (this.#lineIsBlank && !this.#isInFence))) {
      if (!this.#isFresh) this.#give(this.#blanks);
      this.#beginReasoning(opening);
    } else if (marker === enclosure?.open && this.#isFresh && this.#mayBeEnclosed) this.#isEnclosed = true;
    else if (marker === enclosure?.close && this.#isEnclosed) {
      this.#begin();
      this.#mayBeEnclosed = false;
    } else {
      if (marker === FENCE && this.#lineIsBlank) this.#isInFence = !this.#isInFence;
      this.#take(marker);
    }
  }

  #beginReasoning(markers: ReasoningMarkers): void {
    this.#isReasoning = true;
    this.#markers = markers;
    const { open, close } = markers;
    this.#finder = new MarkerFinder([...open, ...close, ...(this.#options.responseBegins ?? [])]);
    this.#reasoning.beginPart();
    this.#begin();
  }

  #beginResponse(): void {
    this.#isReasoning = false;
    this.#finder = this.#responseFinder();
    this.#mayBeEnclosed = true;
    this.#begin();
  }

  /** The completion continues a text, so its blanks are a part of it. */
  #goOn(text: string): void {
    this.#isFresh = false;
    this.#mayBeEnclosed = false;
    this.#lineIsBlank = lineIsBlank(text, true);
  }

  #begin(): void {
    this.#isFresh = true;
    this.#dropsBlanks = true;
    this.#isEnclosed = false;
    this.#blanks = '';
  }

  #responseFinder(): MarkerFinder {
    const { markers, areSpecial } = this.#options;
    const { response } = this.#markers;
    return new MarkerFinder([
      ...markers.flatMap(({ open }) => open),
      ...(areSpecial ? [] : [FENCE]),
      ...(response ? [response.open, response.close] : []),
    ]);
  }

  /** Takes text that is no marker. */
  #take(text: string): void {
    if (text === '') return;
    let from = 0;
    if (this.#isFresh) {
      while (from < text.length && isSpace(text.charCodeAt(from))) from++;
      if (!this.#dropsBlanks) this.#blanks += text.slice(0, from);
      this.#isFresh = from === text.length;
    }
    let to = text.length;
    while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
    if (!this.#isReasoning) this.#lineIsBlank = lineIsBlank(text, this.#lineIsBlank);
    if (!this.#isReasoning && !this.#isEnclosed) to = text.length;
    if (from < to) {
      this.#give(this.#blanks + text.slice(from, to));
      this.#blanks = '';
    }
    this.#blanks += text.slice(to);
  }

  #give(text: string): void {
    if (text === '') return;
    if (this.#isReasoning) this.#sink?.reasoning(this.#reasoning.join(text));
    else this.#sink?.text(text);
  }
}

/** How a completion begins: in reasoning with these markers, in the response, or undefined: its own markers decide. */
function beginOf(
  { markers, beginsInReasoning }: MarkedReasoningOptions,
  { prompt, continued }: ReasoningOptions,
): ReasoningMarkers | 'response' | undefined {
  if (continued !== undefined) return lastOpenMarkers(markers, continued) ?? 'response';
  const end = prompt.trimEnd();
  const opening = markers.find(({ open }) => open.some((marker) => end.endsWith(marker)));
  if (opening) return opening;
  if (markers.some(({ close }) => close.some((marker) => end.endsWith(marker)))) return 'response';
  return beginsInReasoning ? markers[0] : undefined;
}

/** The markers of reasoning that a text has opened and not closed. */
function lastOpenMarkers(markers: readonly ReasoningMarkers[], text: string): ReasoningMarkers | undefined {
  const lastOf = (texts: readonly string[]) => Math.max(...texts.map((marker) => text.lastIndexOf(marker)));
  return markers.find(({ open, close }) => lastOf(open) > lastOf(close));
}

/** The turn from reasoning between markers to the response. */
export function markedTurn(options: MarkedReasoningOptions, context: ReasoningOptions): ReasoningTurn | undefined {
  const begin = beginOf(options, context);
  if (begin === 'response') return undefined;
  const { markers } = options;
  return {
    opens: begin ? [] : markers.flatMap(({ open }) => open),
    ends: begin ? begin.close : markers.flatMap(({ close }) => close),
    afterReasoning: '\n\n',
    withoutReasoning: '',
  };
}

/** Whether the line that a text ends in has only blanks so far; `before`: that of the text before it. */
function lineIsBlank(text: string, before: boolean): boolean {
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) return true;
    if (!isSpace(code)) return false;
  }
  return before;
}
