import { readFile, writeFile } from 'node:fs/promises';
import { type Conversation, readSaved } from './conversation.ts';
import { ChatError } from './server.ts';

/** Writes a conversation; overwrites saved conversations, but no other file. Returns its length. Throws a ChatError. */
export async function save(conversation: Conversation, file: string): Promise<string> {
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw toChatError(file, error);
  });
  if (before !== undefined) check(file, before);
  await writeFile(file, conversation.saved(), { mode: 0o600 }).catch((error: unknown) => {
    throw toChatError(file, error);
  });
  return lengthOf(conversation);
}

/** Continues a saved conversation. Returns its length. Throws a ChatError. */
export async function load(conversation: Conversation, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw toChatError(file, error);
  });
  check(file, text);
  conversation.load(text);
  return lengthOf(conversation);
}

function check(file: string, text: string): void {
  try {
    readSaved(text);
  } catch (error) {
    throw toChatError(file, error);
  }
}

function toChatError(file: string, error: unknown): ChatError {
  if (error instanceof RangeError) return new ChatError(`${file} ${error.message}. Choose another file.`);
  const { code, message } = error as NodeJS.ErrnoException;
  return new ChatError(`Cannot use ${file}: ${code ?? message}.`);
}

function lengthOf({ length }: Conversation): string {
  return `${length} ${length === 1 ? 'message' : 'messages'}`;
}
