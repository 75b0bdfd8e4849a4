import { readFile, writeFile } from 'node:fs/promises';
import { type Conversation, readSaved } from './conversation.ts';
import { ChatFault } from './server.ts';

/** Writes a conversation; overwrites saved conversations, but no other file. Returns its length. Throws a ChatError. */
export async function save(conversation: Conversation, file: string): Promise<string> {
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fault(file, error);
  });
  if (before !== undefined) check(file, before);
  await writeFile(file, conversation.saved(), { mode: 0o600 }).catch((error: unknown) => {
    throw fault(file, error);
  });
  return lengthOf(conversation);
}

/** Continues a saved conversation. Returns its length. Throws a ChatError. */
export async function load(conversation: Conversation, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fault(file, error);
  });
  check(file, text);
  conversation.load(text);
  return lengthOf(conversation);
}

function check(file: string, text: string): void {
  try {
    readSaved(text);
  } catch (error) {
    throw fault(file, error);
  }
}

function fault(file: string, error: unknown): ChatFault {
  if (error instanceof RangeError) return new ChatFault(`${file} ${error.message}. Choose another file.`);
  const { code, message } = error as NodeJS.ErrnoException;
  return new ChatFault(`Cannot use ${file}: ${code ?? message}.`);
}

function lengthOf({ length }: Conversation): string {
  return `${length} ${length === 1 ? 'message' : 'messages'}`;
}
