import { describe, expect, it } from 'vitest';
import type { Structure } from '../contracts/contract.ts';
import { guideWriter } from '../contracts/vllm-guide.ts';
import { guidedCheck } from './guided-check.ts';
import { ResponseCheck } from './response-check.ts';
import type { Emulation } from './structured-emulation.ts';

const write = guideWriter({ allowsLeftRecursion: true });
const checkOf = (structure: Structure) =>
  guidedCheck({ structure, field: 'guided_json', guide: write(structure) }, { retries: 2 });
const multiple = { type: 'integer', multipleOf: 3 };

describe('what a guided response is held against', () => {
  it('is its guide, where that is not exact', () => {
    const form = { json: multiple };
    expect(checkOf(form)).toEqual({ isGuided: true, structure: form, field: 'guided_json', retries: 2 });
  });

  it.each<[Structure]>([[{ json: { type: 'integer' } }], [{ choice: ['ä'] }], [{ grammar: 'root ::= [ä-ü]' }]])(
    'is nothing where the guide is exact or cannot be judged: %j',
    (structure) => {
      expect(checkOf(structure)).toBeUndefined();
    },
  );

  it('is its guide, too, where a schema has keywords that are not known', () => {
    const form = { json: { ...multiple, discriminator: { propertyName: 'a' }, 'x-order': 1 } };
    expect(checkOf(form)?.structure).toEqual(form);
  });

  it('is nothing where the contract keeps to every guide', () => {
    expect(guidedCheck({ structure: { json: multiple }, field: 'x' }, { retries: 2 })).toBeUndefined();
  });
});

describe('a guided response', () => {
  const { signal } = new AbortController();
  const emulation: Emulation = { isGuided: true, structure: { json: multiple }, field: 'guided_json', retries: 2 };
  const ended = (text: string, reason: 'stop' | 'length', mayStop = false) => {
    const check = new ResponseCheck(emulation, { prefix: '', signal, mayStop });
    check.text(text);
    return check.end(reason);
  };
  const invalid = (message: string) => ({ kind: 'invalid', message });

  it('may be cut off where a token limit or a stop sequence may end it', async () => {
    expect(await ended('{"a', 'length')).toEqual({ kind: 'valid' });
    expect(await ended('{"a', 'stop', true)).toEqual({ kind: 'valid' });
    expect(await ended('{"a', 'stop')).toEqual(invalid('it is not JSON'));
    expect(await ended('no', 'length')).toEqual(invalid('it is not JSON'));
  });

  it('is judged where a stop sequence may have ended it, but it is whole', async () => {
    expect(await ended('9', 'stop', true)).toEqual({ kind: 'valid' });
    expect(await ended('8', 'stop', true)).toEqual(invalid('$ must be a multiple of 3'));
  });

  it('may have a call that a stop sequence cuts off', async () => {
    const calls = { isRequired: true, schemas: new Map([['f', { properties: { a: multiple } }]]) };
    const called = (json: string) => {
      const check = new ResponseCheck(
        { isGuided: true, calls, field: 'tool_choice', retries: 2 },
        { prefix: '', signal, mayStop: true },
      );
      check.call({ type: 'tool-call-delta', choice: 0, index: 0, id: 'c', name: 'f', arguments: json });
      return check.end('tool_calls');
    };
    expect(await called('{"a": 1')).toEqual({ kind: 'valid' });
    expect(await called('{"a": 3}')).toEqual({ kind: 'valid' });
    expect((await called('{"a": 4}')).kind).toBe('invalid');
  });

  it('has no broken character, but where it is cut off in the middle of one', async () => {
    expect(await ended('"a\ufffd"', 'stop')).toEqual(invalid('it contains a broken character (U+FFFD)'));
    expect(await ended('"\ufffda', 'length')).toEqual(invalid('it contains a broken character (U+FFFD)'));
    expect(await ended('"a\ufffd', 'length')).toEqual({ kind: 'valid' });
  });
});
