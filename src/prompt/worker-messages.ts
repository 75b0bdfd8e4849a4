import type { TokenPair, TokenTable } from '../tokenizer.ts';
import type { TemplateInput } from './render-chat.ts';
import type { TemplateMessage } from './template-messages.ts';

/** Which tokenizer a request is for; the worker loads it at its first use. */
export interface TokenizerFile {
  readonly file: string;
  /** Overrides whether `addSpecialTokens` puts this token in front; left out, the file decides. */
  readonly bos?: { readonly token: string; readonly added: boolean } | undefined;
}

/** The tasks of the prompt thread. */
export type WorkerTask =
  | { kind: 'load'; tokenizer: TokenizerFile }
  | EncodeTask<'encode'>
  | EncodeTask<'count'>
  | { kind: 'encode-pair'; tokenizer: TokenizerFile; first: string; second: string; mostOfSecond: number | undefined }
  | { kind: 'decode'; tokenizer: TokenizerFile; ids: Int32Array; skipSpecialTokens: boolean }
  | { kind: 'unknown-ids'; tokenizer: TokenizerFile; ids: Float64Array }
  | { kind: 'spellings'; tokenizer: TokenizerFile; ids: Int32Array }
  | { kind: 'table'; tokenizer: TokenizerFile }
  | { kind: 'chat'; source: string; input: ChatTask; time: number }
  | { kind: 'history'; source: string; messages: readonly TemplateMessage[]; time: number };

/** A text to turn into tokens, or to count them. */
export interface EncodeTask<Kind extends 'encode' | 'count' = 'encode' | 'count'> {
  kind: Kind;
  tokenizer: TokenizerFile;
  text: string;
  addSpecialTokens: boolean;
  /** Bytes for tokens of earlier texts, of all tokenizers together; left out, this text does without them. */
  cacheSize: number | undefined;
}

/** A chat to render, with the special tokens that belong to the template. */
type ChatTask = TemplateInput & { readonly specialTokens: Readonly<Record<string, string>> };

/** What each task gives. */
export interface WorkerResults {
  load: { ownBos: string | undefined; vocabularySize: number };
  encode: { ids: Int32Array; reused: number };
  'encode-pair': TokenPair;
  count: { count: number; reused: number };
  decode: string;
  'unknown-ids': number[];
  spellings: string[];
  table: TokenTable;
  chat: string;
  history: string;
}
