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
import { CompletionReader, type ReadGenerator } from './completion-reader.ts';
import { readArguments } from './passed-call.ts';
import type { ToolFormat } from './tool-parser.ts';

/**
 * Reads messages of the harmony format. The reasoning was split off before; what it left of the frame of a message is
 * understood here: the headers of text for the user and the ends of messages are markup. The prompt ends within the
 * header of the first message, so the response may begin with its recipient.
 */
function* grammar(reader: CompletionReader): ReadGenerator<void> {
  const finder = new MarkerFinder([START, CHANNEL, END, RETURN]);
  yield* reader.skipSpace();
  if (yield* reader.literal(`to=${FUNCTIONS}`)) yield* readMessage(reader, ` to=${FUNCTIONS}`);
  for (;;) {
    const marker = yield* reader.textUntil(finder);
    if (marker === undefined) return;
    if (marker === START || marker === CHANNEL) yield* readMessage(reader, marker);
    else reader.drop();
  }
}

/** Reads a header, and the message too where it is no text for the user. */
function* readMessage(reader: CompletionReader, begin: string): ReadGenerator<void> {
  const header = yield* reader.heldUntil([MESSAGE, ...MESSAGE_ENDS]);
  if (header?.marker !== MESSAGE) return;
  const { channel, recipient } = readHeader(begin + header.text);
  if (recipient === undefined && (channel === 'final' || channel === 'commentary')) {
    reader.drop();
    return;
  }
  const name = recipient?.startsWith(FUNCTIONS) ? recipient.slice(FUNCTIONS.length) : recipient;
  if (name !== undefined && reader.offered(name)) {
    if (yield* readArguments(reader, { name, ends: MESSAGE_ENDS })) {
      yield* reader.skipSpace();
      if ((yield* reader.oneOf(MESSAGE_ENDS)) !== undefined) reader.drop();
      return;
    }
  }
  reader.giveHeld();
  yield* reader.passUntil(new MarkerFinder(MESSAGE_ENDS), reader.giveText);
}

/** The recipient is in the section of the role or in that of the channel. */
function readHeader(header: string): { readonly channel: string; readonly recipient: string | undefined } {
  const recipient = / to=([^\s<]+)/.exec(header)?.[1];
  const channel = header.slice(header.lastIndexOf(CHANNEL) + CHANNEL.length);
  return { recipient, channel: /^\s*(\w*)/.exec(channel)?.[1] ?? '' };
}

/** gpt-oss: `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`. */
export const gptOss: ToolFormat = {
  name: 'gpt-oss',
  aliases: ['openai', 'gpt_oss', 'harmony'],
  specialMarkers: HARMONY_MARKERS,
  fits: isHarmony,
  parser: (options) => new CompletionReader(options, grammar),
};
