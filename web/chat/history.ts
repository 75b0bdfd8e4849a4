import { browserKeeper } from '../lib/storage.ts';
import type { Conversation } from './conversation.ts';

const prefix = 'conch.chat.';

/** Where conversations are kept: the storage of the browser. */
export type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** The conversations that are kept in this browser, the latest first. What cannot be read is left where it is. */
export function readConversations(place: Place = browserKeeper.storage): readonly Conversation[] {
  const names = Array.from({ length: place.length }, (_, at) => place.key(at) ?? '');
  return names
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => parsed(place.getItem(name)))
    .toSorted(latestFirst);
}

/** The order in which conversations are listed. */
export function latestFirst(left: Conversation, right: Conversation): number {
  return right.changed - left.changed;
}

/** Keeps a conversation; false where the browser has no room left. */
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
