import { describe, expect, it } from 'vitest';
import { type Conversation, titleOf, withResult } from './conversation.ts';
import { forgetConversation, type HistoryStorage, keepConversation, readConversations } from './history.ts';

/** The storage of a browser, with a limit on the characters of a value. */
function locationWith(entries: Readonly<Record<string, string>> = {}, room = 1_000_000): HistoryStorage {
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
  settings: { model: 'm', system: '', fields: {} },
  turns: [{ role: 'user', id: '1', text: 'Hi' }],
  changed,
});

describe('the history', () => {
  it('returns the stored conversations, latest first', () => {
    const location = locationWith({ other: 'x' });
    for (const each of [conversation('a', 1), conversation('b', 3), conversation('c', 2)])
      expect(keepConversation(each, location)).toBe(true);
    expect(readConversations(location)).toEqual([conversation('b', 3), conversation('c', 2), conversation('a', 1)]);
    keepConversation(conversation('a', 4), location);
    forgetConversation({ id: 'b' }, location);
    expect(readConversations(location).map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('reports a full storage', () => {
    expect(keepConversation(conversation('a', 1), locationWith({}, 10))).toBe(false);
  });

  it('reads what 0.1.0 stored, with its names of fields', () => {
    const asked = { model: 'm', system: '', fields: {} };
    const failed = { role: 'assistant', id: '2', text: '', reasoning: '', calls: [], finish: undefined };
    const turns = [{ ...failed, asked, fault: 'lost' }];
    const stored = JSON.stringify({ id: 'a', asked, turns, changed: 1 });
    expect(readConversations(locationWith({ 'conch.chat.a': stored }))).toEqual([
      { id: 'a', settings: asked, turns: [{ ...failed, settings: asked, error: 'lost' }], changed: 1 },
    ]);
  });

  it('skips unreadable entries', () => {
    const location = locationWith({ 'conch.chat.a': '{', 'conch.chat.b': 'null', 'conch.chat.c': '{"id":"c"}' });
    expect(readConversations(location)).toEqual([]);
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
    const { settings } = conversation('a', 1);
    const response = { role: 'assistant', id: '2', text: '', reasoning: '', finish: 'tool_calls', settings } as const;
    const calls = [
      { id: 'x', name: 'f', arguments: '{}' },
      { id: 'y', name: 'g', arguments: '{}' },
    ];
    expect(withResult([{ ...response, calls }], 'y', '7')).toEqual([
      { ...response, calls: [calls[0], { ...calls[1], result: '7' }] },
    ]);
  });
});
