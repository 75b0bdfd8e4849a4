import { readFile } from 'node:fs/promises';
import { Tokenizer } from 'tokenizers';
import type { TokenPair } from '../tokenizer.ts';
import { runTasks } from '../worker-program.ts';
import { type CompiledTemplate, compileTemplate, renderChat } from './render-chat.ts';
import { renderHistory } from './render-history.ts';
import type { EncodedSegments, SegmentEncoder } from './segment-encoder.ts';
import { SegmentStore } from './segment-store.ts';
import { segmentEncoder } from './token-cache.ts';
import { buffersOfTable, buildTokenTable } from './token-table.ts';
import type { EncodeTask, TokenizerFile, WorkerResults, WorkerTask } from './worker-messages.ts';

// The thread beside the event loop: loading a tokenizer and copying ids out of it are synchronous and take long.

interface LoadedTokenizer {
  readonly tokenizer: Tokenizer;
  readonly ownBos: string | undefined;
  /** Ids to put in front, and whether the tokenizer is to add its own special tokens. */
  readonly prefix: readonly number[];
  readonly addsSpecial: boolean;
  /** These special tokens, before and behind a text; undefined where they are not clear. */
  readonly frame: Frame | undefined;
  /** Encodes a text in segments, where the tokenizer allows that; made at its first use. */
  readonly segments: () => Promise<SegmentEncoder | undefined>;
  /** Whether the tokens of the second text of a pair have another type than those of the first. */
  readonly tellsPairsApart: boolean;
}

interface Frame {
  readonly front: readonly number[];
  readonly back: readonly number[];
}

/** Texts below this many characters are always encoded: that takes less than a millisecond. */
const shortestCached = 1024;
const store = new SegmentStore();
const loaded = new Map<string, Promise<LoadedTokenizer>>();
const compiled = new Map<string, CompiledTemplate>();
const mostCompiled = 64;
const largestId = 2 ** 31 - 1;

async function load({ file, bos }: TokenizerFile): Promise<LoadedTokenizer> {
  const tokenizer = Tokenizer.fromFile(file);
  // A file may carry the truncation and padding of its training; a prompt must keep every token.
  tokenizer.disableTruncation();
  tokenizer.disablePadding();
  const plain = (await tokenizer.encode('a', null, { addSpecialTokens: false })).getIds();
  const special = (await tokenizer.encode('a', null, { addSpecialTokens: true })).getIds();
  const leads = special.length > plain.length && special[0] !== plain[0];
  const learnt = leads ? (tokenizer.idToToken(special[0] ?? -1) ?? undefined) : undefined;
  const tellsPairsApart = (await tokenizer.encode('a', 'a')).getTypeIds().includes(1);
  let segments: Promise<SegmentEncoder | undefined> | undefined;
  const base = {
    tokenizer,
    tellsPairsApart,
    frame: frameOf(plain, special),
    segments: () => {
      segments ??= readFile(file)
        .then((json) => segmentEncoder(json, tokenizer, store))
        .catch(() => undefined);
      return segments;
    },
  };
  if (bos === undefined || bos.added === leads) return { ...base, ownBos: learnt, prefix: [], addsSpecial: true };
  if (!bos.added) return { ...base, ownBos: undefined, prefix: [], addsSpecial: false };
  const id = tokenizer.tokenToId(bos.token);
  if (id === null) throw new Error(`The tokenizer has no token ${bos.token}.`);
  return { ...base, ownBos: bos.token, prefix: [id], addsSpecial: true };
}

function tokenizerOf(file: TokenizerFile): Promise<LoadedTokenizer> {
  const key = JSON.stringify(file);
  let promise = loaded.get(key);
  if (promise === undefined) {
    promise = load(file);
    loaded.set(key, promise);
    promise.catch(() => loaded.delete(key));
  }
  return promise;
}

/** What surrounds the ids of a text once special tokens are added to them. */
function frameOf(plain: readonly number[], special: readonly number[]): Frame | undefined {
  const positions = special.flatMap((_, at) => (plain.every((id, index) => special[at + index] === id) ? [at] : []));
  const [at] = positions;
  if (at === undefined || positions.length > 1 || plain.length === 0) return undefined;
  return { front: special.slice(0, at), back: special.slice(at + plain.length) };
}

async function encode(task: EncodeTask): Promise<WorkerResults['encode' | 'count']> {
  const tokenizer = await tokenizerOf(task.tokenizer);
  return (await encodeSegments(task, tokenizer)) ?? encodeWhole(task, tokenizer);
}

async function encodeWhole(task: EncodeTask, { tokenizer, prefix, addsSpecial }: LoadedTokenizer) {
  const addSpecialTokens = task.addSpecialTokens && addsSpecial;
  const encoding = await tokenizer.encode(task.text, null, { addSpecialTokens });
  const front = task.addSpecialTokens ? prefix : [];
  const count = encoding.getLength() + front.length;
  if (task.kind === 'count') return { count, reused: 0 };
  const ids = new Int32Array(count);
  ids.set(front);
  ids.set(encoding.getIds(), front.length);
  return { ids, reused: 0 };
}

async function encodeSegments(task: EncodeTask, { prefix, addsSpecial, frame, segments }: LoadedTokenizer) {
  if (task.cacheSize === undefined || frame === undefined) return undefined;
  store.limit = task.cacheSize;
  if (task.cacheSize === 0 || task.text.length < shortestCached) return undefined;
  const found = await (await segments())?.encode(task.text);
  if (found === undefined) return undefined;
  const front = task.addSpecialTokens ? [...prefix, ...(addsSpecial ? frame.front : [])] : [];
  const back = task.addSpecialTokens && addsSpecial ? frame.back : [];
  if (task.kind === 'count') return { count: front.length + found.length + back.length, reused: found.reused };
  return { ids: joined(front, found, back), reused: found.reused };
}

function joined(front: readonly number[], { parts, length }: EncodedSegments, back: readonly number[]): Int32Array {
  const ids = new Int32Array(front.length + length + back.length);
  let end = 0;
  for (const part of [front, ...parts, back]) {
    ids.set(part, end);
    end += part.length;
  }
  return ids;
}

async function encodePair({
  tokenizer: file,
  first,
  second,
  mostOfSecond,
}: Extract<WorkerTask, { kind: 'encode-pair' }>): Promise<TokenPair> {
  const { tokenizer, tellsPairsApart } = await tokenizerOf(file);
  const [one, two] = await tokenizer.encodeBatch([first, second], { addSpecialTokens: false });
  if (!one || !two) throw new Error('The tokenizer returned no result.');
  if (mostOfSecond !== undefined) two.truncate(mostOfSecond, 0, 'right');
  const pair = tokenizer.postProcess(one, two, true);
  const types = Int32Array.from(pair.getTypeIds());
  // Without a template for pairs, types come from the encoding of both texts at once: here each was encoded by itself.
  if (tellsPairsApart && !types.includes(1))
    for (const [at, sequence] of pair.getSequenceIds().entries()) if (sequence === 1) types[at] = 1;
  return { ids: Int32Array.from(pair.getIds()), types };
}

function templateOf(source: string): CompiledTemplate {
  let template = compiled.get(source);
  if (template === undefined) {
    if (compiled.size >= mostCompiled) compiled.clear();
    template = compileTemplate(source);
    compiled.set(source, template);
  }
  return template;
}

async function perform(task: WorkerTask): Promise<WorkerResults[keyof WorkerResults]> {
  switch (task.kind) {
    case 'load': {
      const { tokenizer, ownBos } = await tokenizerOf(task.tokenizer);
      return { ownBos, vocabularySize: tokenizer.getVocabSize(true) };
    }
    case 'encode':
    case 'count':
      return encode(task);
    case 'encode-pair':
      return encodePair(task);
    case 'decode': {
      const { tokenizer } = await tokenizerOf(task.tokenizer);
      return tokenizer.decode(Array.from(task.ids), task.skipSpecialTokens);
    }
    case 'unknown-ids': {
      const { tokenizer } = await tokenizerOf(task.tokenizer);
      return Array.from(task.ids).filter((id) => id < 0 || id > largestId || tokenizer.idToToken(id) === null);
    }
    case 'spellings': {
      const { tokenizer } = await tokenizerOf(task.tokenizer);
      return Array.from(task.ids, (id) => tokenizer.idToToken(id) ?? '');
    }
    case 'table': {
      const { tokenizer } = await tokenizerOf(task.tokenizer);
      const definition = JSON.parse(await readFile(task.tokenizer.file, 'utf8'));
      return buildTokenTable(definition, (token) => tokenizer.tokenToId(token));
    }
    case 'chat':
      return renderChat(templateOf(task.source), task.input, { time: task.time });
    case 'history':
      return renderHistory(task.source, task.messages, task.time);
  }
}

/** The buffers that are transferred instead of copied. */
function buffersOf(value: WorkerResults[keyof WorkerResults]): ArrayBuffer[] {
  if (typeof value !== 'object') return [];
  if ('reused' in value) return 'ids' in value ? [value.ids.buffer as ArrayBuffer] : [];
  return 'kinds' in value ? buffersOfTable(value) : [];
}

runTasks(perform, buffersOf);
