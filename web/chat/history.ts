import { browserStorage } from '../lib/storage.ts';
import type { Conversation } from './conversation.ts';

const prefix = 'conch.chat.';

/** The part of the browser's storage that the history uses. */
export type HistoryStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** The conversations stored in this browser, latest first. Unreadable entries are skipped, not deleted. */
export function readConversations(storage: HistoryStorage = browserStorage.storage): readonly Conversation[] {
  const names = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '');
  return names
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => parsed(storage.getItem(name)))
    .toSorted(latestFirst);
}

/** The order of the list of conversations. */
export function latestFirst(left: Conversation, right: Conversation): number {
  return right.changed - left.changed;
}

/** Stores a conversation; false if the storage of the browser is full. */
export function keepConversation(
  conversation: Conversation,
  storage: HistoryStorage = browserStorage.storage,
): boolean {
  try {
    storage.setItem(prefix + conversation.id, JSON.stringify(conversation));
    return true;
  } catch {
    return false;
  }
}

export function forgetConversation(
  { id }: Pick<Conversation, 'id'>,
  storage: HistoryStorage = browserStorage.storage,
): void {
  storage.removeItem(prefix + id);
}

function parsed(text: string | null): readonly Conversation[] {
  try {
    const found = JSON.parse(text ?? '', withCurrentNames) as Partial<Conversation> | null;
    const isWhole = typeof found?.id === 'string' && Array.isArray(found.turns) && found.settings !== undefined;
    return isWhole ? [found as Conversation] : [];
  } catch {
    return [];
  }
}

/** A reviver for conversations that 0.1.0 stored: `settings` was called `asked`, and `error` was called `fault`. */
function withCurrentNames(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('asked' in value)) return value;
  const { asked: settings, fault: error, ...rest } = value as { asked: unknown; fault?: unknown };
  return error === undefined ? { ...rest, settings } : { ...rest, settings, error };
}
