import { describe, expect, it } from 'vitest';
import { type Conversation, titleOf, withResult } from './conversation.ts';
import { forgetConversation, keepConversation, type Place, readConversations } from './history.ts';

/** The storage of a browser, with a limit on the characters of a value. */
function placeWith(entries: Readonly<Record<string, string>> = {}, room = 1_000_000): Place {
  const map = new Map(Object.entries(entries));
  return {
    get length() {
      return map.size;
    },
    key: (at) => [...map.keys()][at] ?? null,
    getItem: (name) => map.get(name) ?? null,
    removeItem: (name) => map.delete(name),
    setItem: (name, value) => {
      if (value.length > room) throw new DOMException('full', 'QuotaExceededError');
      map.set(name, value);
    },
  };
}

const conversation = (id: string, changed: number): Conversation => ({
  id,
  asked: { model: 'm', system: '', fields: {} },
  turns: [{ role: 'user', id: '1', text: 'Hi' }],
  changed,
});

describe('the history', () => {
  it('returns the stored conversations, latest first', () => {
    const place = placeWith({ other: 'x' });
    for (const each of [conversation('a', 1), conversation('b', 3), conversation('c', 2)])
      expect(keepConversation(each, place)).toBe(true);
    expect(readConversations(place)).toEqual([conversation('b', 3), conversation('c', 2), conversation('a', 1)]);
    keepConversation(conversation('a', 4), place);
    forgetConversation({ id: 'b' }, place);
    expect(readConversations(place).map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('reports a full storage', () => {
    expect(keepConversation(conversation('a', 1), placeWith({}, 10))).toBe(false);
  });

  it('skips unreadable entries', () => {
    const place = placeWith({ 'conch.chat.a': '{', 'conch.chat.b': 'null', 'conch.chat.c': '{"id":"c"}' });
    expect(readConversations(place)).toEqual([]);
  });
});

describe('a conversation', () => {
  it('is called by its first words', () => {
    expect(titleOf({ turns: [] })).toBe('New conversation');
    expect(titleOf(conversation('a', 1))).toBe('Hi');
    const long = `${'word '.repeat(20)}\nmore`;
    expect(titleOf({ turns: [{ role: 'user', id: '1', text: long }] })).toBe(`${'word '.repeat(12)}…`);
  });

  it('takes the result of a call', () => {
    const { asked } = conversation('a', 1);
    const answer = { role: 'assistant', id: '2', text: '', reasoning: '', finish: 'tool_calls', asked } as const;
    const calls = [
      { id: 'x', name: 'f', arguments: '{}' },
      { id: 'y', name: 'g', arguments: '{}' },
    ];
    expect(withResult([{ ...answer, calls }], 'y', '7')).toEqual([
      { ...answer, calls: [calls[0], { ...calls[1], result: '7' }] },
    ]);
  });
});
