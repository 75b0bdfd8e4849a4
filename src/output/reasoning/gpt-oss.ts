import {
  CHANNEL,
  END,
  FUNCTIONS,
  HARMONY_MARKERS,
  isHarmony,
  MESSAGE,
  MESSAGE_ENDS,
  RETURN,
  START,
} from '../harmony.ts';
import { MarkerFinder } from '../marker-finder.ts';
import { JoinedParts, MarkedText } from './marked-text.ts';
import type { ReasoningFormat, ReasoningParser, ReasoningSink } from './reasoning-parser.ts';

/** The prompt ends within a header, so the response may begin with the recipient of a call. */
const RECIPIENT = `to=${FUNCTIONS}`;
const LONGEST_HEADER = 512;

/** `call`: for a tool, or not understood. Between two messages there is nothing, unless the model left out the frame. */
type HarmonyState = 'between' | 'header' | 'reasoning' | 'text' | 'call';

const markers: Readonly<Record<HarmonyState, readonly string[]>> = {
  between: [START, CHANNEL, END, RETURN, RECIPIENT],
  header: [MESSAGE, START, ...MESSAGE_ENDS],
  reasoning: [START, CHANNEL, ...MESSAGE_ENDS],
  text: [START, CHANNEL, ...MESSAGE_ENDS],
  call: MESSAGE_ENDS,
};

/**
 * Reads messages of the harmony format. The analysis is reasoning. Of messages for the user the text is given, without
 * its frame. Messages with a recipient are given as they came, with their frame: the tool parser reads them.
 */
class HarmonyReasoning implements ReasoningParser {
  readonly #source = new MarkedText();
  readonly #reasoning = new JoinedParts();
  readonly #text = new JoinedParts();
  #sink: ReasoningSink | undefined;
  #state: HarmonyState = 'between';
  #finder = new MarkerFinder(markers.between);
  #header = '';
  /** Whether the header is too long to be one; then it is given as it comes. */
  #isNoHeader = false;
  /** Blanks between two messages. */
  #blanks = '';
  #isFresh = true;

  constructor(prompt: string) {
    const last = prompt.slice(Math.max(prompt.lastIndexOf(START), 0));
    const header = last.indexOf(MESSAGE);
    if (header >= 0) this.#begin(stateOf(last.slice(0, header)));
  }

  push(text: string, sink: ReasoningSink): void {
    this.#sink = sink;
    this.#source.add(text);
    while (!this.#source.isRead) {
      this.#take(this.#source.read(this.#finder));
      const marker = this.#finder.found;
      if (marker !== undefined) this.#meet(marker);
    }
  }

  end(sink: ReasoningSink): void {
    this.#sink = sink;
    this.#take(this.#source.end());
    // Of a header that was cut off nothing is text.
    if (/^(<\|start\|>\w*)?(<\|channel\|>\w*)?$/.test(this.#header)) this.#header = '';
    this.#giveText(this.#blanks + this.#header);
    this.#blanks = '';
    this.#header = '';
  }

  #take(text: string): void {
    if (text === '') return;
    switch (this.#state) {
      case 'between':
        if (text.trim() === '') {
          this.#blanks += text;
          return;
        }
        this.#isFresh = false;
        this.#giveText(this.#blanks + text);
        this.#blanks = '';
        return;
      case 'header':
        this.#header += text;
        if (this.#header.length > LONGEST_HEADER) this.#isNoHeader = true;
        if (this.#isNoHeader) this.#giveHeader();
        return;
      case 'reasoning':
        this.#sink?.reasoning(this.#reasoning.join(text));
        return;
      case 'text':
        this.#giveText(text);
        return;
      case 'call':
        this.#sink?.text(text);
    }
  }

  #meet(marker: string): void {
    switch (this.#state) {
      case 'between':
        if (marker !== RECIPIENT) this.#follow(marker);
        else if (this.#isFresh) this.#beginHeader(this.#blanks + marker);
        else this.#take(marker);
        return;
      case 'header':
        if (marker === MESSAGE && !this.#isNoHeader) this.#begin(stateOf(this.#header));
        else if (marker === START) {
          this.#giveHeader();
          this.#beginHeader(marker);
        } else {
          this.#header += marker;
          this.#giveHeader();
          this.#enter('between');
        }
        return;
      case 'reasoning':
      case 'text':
        this.#follow(marker);
        return;
      case 'call':
        this.#sink?.text(marker);
        this.#enter('between');
    }
  }

  /** Continues after a message. */
  #follow(marker: string): void {
    if (marker === START || marker === CHANNEL) this.#beginHeader(marker);
    else this.#enter('between');
  }

  #beginHeader(begin: string): void {
    this.#enter('header');
    this.#header = begin;
    this.#isNoHeader = false;
  }

  #begin(state: HarmonyState): void {
    if (state === 'reasoning') this.#reasoning.beginPart();
    if (state === 'text') this.#text.beginPart();
    if (state === 'call') this.#sink?.text(this.#header + MESSAGE);
    this.#header = '';
    this.#enter(state);
  }

  #enter(state: HarmonyState): void {
    this.#state = state;
    this.#finder = new MarkerFinder(markers[state]);
    this.#isFresh = false;
    this.#blanks = '';
  }

  /** What looked like a header is text. */
  #giveHeader(): void {
    const header = this.#header;
    this.#header = '';
    this.#giveText(header);
  }

  #giveText(text: string): void {
    if (text !== '') this.#sink?.text(this.#text.join(text));
  }
}

/** What the text of a message is, by its header. */
function stateOf(header: string): HarmonyState {
  const role = /^<\|start\|>(\w*)/.exec(header)?.[1] ?? 'assistant';
  const channel = /<\|channel\|>\s*(\w*)/.exec(header)?.[1] ?? 'final';
  if (role !== 'assistant' || /(^|\s)to=/.test(header)) return 'call';
  if (channel === 'analysis') return 'reasoning';
  return channel === 'final' || channel === 'commentary' ? 'text' : 'call';
}

/** gpt-oss: `<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…`. */
export const gptOss: ReasoningFormat = {
  name: 'gpt-oss',
  aliases: ['openai_gptoss', 'gpt_oss', 'harmony'],
  specialMarkers: HARMONY_MARKERS,
  fits: isHarmony,
  parser: ({ prompt }) => new HarmonyReasoning(prompt),
  turn: ({ prompt }) => {
    if (prompt.endsWith(MESSAGE)) return undefined;
    return {
      opens: [`${CHANNEL}analysis`],
      ends: [END],
      afterReasoning: `${START}assistant${CHANNEL}final${MESSAGE}`,
      withoutReasoning: `${CHANNEL}final${MESSAGE}`,
    };
  },
};
