import type { TokenPair, TokenTable } from '../tokenizer.ts';
import type { TemplateInput } from './render-chat.ts';
import type { TemplateMessage } from './template-messages.ts';

/** Which tokenizer a request is for; the worker loads it at its first use. */
export interface TokenizerFile {
  readonly file: string;
  /** Overrides whether `addSpecialTokens` puts this token in front; left out, the file decides. */
  readonly bos?: { readonly token: string; readonly added: boolean } | undefined;
}

/** What the prompt thread can be asked to do. */
export type WorkerTask =
  | { kind: 'load'; tokenizer: TokenizerFile }
  | { kind: 'encode'; tokenizer: TokenizerFile; text: string; addSpecialTokens: boolean }
  | { kind: 'count'; tokenizer: TokenizerFile; text: string; addSpecialTokens: boolean }
  | { kind: 'encode-pair'; tokenizer: TokenizerFile; first: string; second: string; mostOfSecond: number | undefined }
  | { kind: 'decode'; tokenizer: TokenizerFile; ids: Int32Array; skipSpecialTokens: boolean }
  | { kind: 'unknown-ids'; tokenizer: TokenizerFile; ids: Float64Array }
  | { kind: 'spellings'; tokenizer: TokenizerFile; ids: Int32Array }
  | { kind: 'table'; tokenizer: TokenizerFile }
  | { kind: 'chat'; source: string; input: ChatTask; time: number }
  | { kind: 'history'; source: string; messages: readonly TemplateMessage[]; time: number };

/** A chat to render, with the special tokens that belong to the template. */
type ChatTask = TemplateInput & { readonly specialTokens: Readonly<Record<string, string>> };

/** What each task gives. */
export interface WorkerResults {
  load: { ownBos: string | undefined; vocabularySize: number };
  encode: Int32Array;
  'encode-pair': TokenPair;
  count: number;
  decode: string;
  'unknown-ids': number[];
  spellings: string[];
  table: TokenTable;
  chat: string;
  history: string;
}
