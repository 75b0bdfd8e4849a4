import { browserKeeper } from '../lib/storage.ts';
import type { Conversation } from './conversation.ts';

const prefix = 'conch.chat.';

/** The part of the browser's storage that the history uses. */
export type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** The conversations stored in this browser, latest first. Unreadable entries are skipped, not deleted. */
export function readConversations(place: Place = browserKeeper.storage): readonly Conversation[] {
  const names = Array.from({ length: place.length }, (_, at) => place.key(at) ?? '');
  return names
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => parsed(place.getItem(name)))
    .toSorted(latestFirst);
}

/** The order of the list of conversations. */
export function latestFirst(left: Conversation, right: Conversation): number {
  return right.changed - left.changed;
}

/** Stores a conversation; false if the storage of the browser is full. */
export function keepConversation(conversation: Conversation, place: Place = browserKeeper.storage): boolean {
  try {
    place.setItem(prefix + conversation.id, JSON.stringify(conversation));
    return true;
  } catch {
    return false;
  }
}

export function forgetConversation({ id }: Pick<Conversation, 'id'>, place: Place = browserKeeper.storage): void {
  place.removeItem(prefix + id);
}

function parsed(text: string | null): readonly Conversation[] {
  try {
    const found = JSON.parse(text ?? '') as Partial<Conversation> | null;
    const isWhole = typeof found?.id === 'string' && Array.isArray(found.turns) && found.asked !== undefined;
    return isWhole ? [found as Conversation] : [];
  } catch {
    return [];
  }
}
