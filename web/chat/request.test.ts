import { describe, expect, it } from 'vitest';
import type { AssistantTurn, ChatSettings, Turn } from './conversation.ts';
import { fieldValues } from './fields.ts';
import { chatRequest } from './request.ts';

const requested: ChatSettings = { model: 'm', system: '', fields: {} };
const user = (text: string): Turn => ({ role: 'user', id: text, text });
const respond = (value: Partial<AssistantTurn>): Turn => ({
  role: 'assistant',
  id: 'a',
  text: '',
  reasoning: '',
  calls: [],
  finish: 'stop',
  settings: requested,
  ...value,
});

describe('chatRequest', () => {
  it('streams with usage, and sends nothing that was left empty', () => {
    expect(chatRequest(requested, [user('Hi')])).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('contains the whole conversation, without reasoning and empty responses', () => {
    const turns = [
      user('a'),
      respond({ text: 'b', reasoning: 'hm' }),
      user('c'),
      respond({ error: 'gone' }),
      user('d'),
    ];
    expect(chatRequest({ ...requested, system: 'Be brief.' }, turns).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
      { role: 'user', content: 'd' },
    ]);
  });

  it('sends a result for each call', () => {
    const calls = [
      { id: '1', name: 'f', arguments: '{}', result: '12' },
      { id: '2', name: 'g', arguments: '{"a":1}' },
    ];
    expect(chatRequest(requested, [user('a'), respond({ calls })]).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: '2', type: 'function', function: { name: 'g', arguments: '{"a":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: '1', content: '12' },
      { role: 'tool', tool_call_id: '2', content: '' },
    ]);
  });
});

describe('fieldValues', () => {
  it('reads numbers, lines and JSON', () => {
    const fields = {
      temperature: ' 0.5 ',
      seed: '',
      stop: 'a\n\nb b',
      tools: '[{"type":"function"}]',
      extra: '{"top_k":3}',
    };
    expect(fieldValues(fields)).toEqual({
      temperature: 0.5,
      stop: ['a', 'b b'],
      tools: [{ type: 'function' }],
      top_k: 3,
    });
  });

  it.each([
    [{ temperature: 'warm' }, 'Temperature must be a number, not "warm".'],
    [{ tools: '{}' }, 'Tools must be a JSON list.'],
    [{ extra: '[1]' }, 'Other fields must be a JSON object.'],
    [{ extra: 'null' }, 'Other fields must be a JSON object.'],
    [{ tools: '[' }, /^Tools must be valid JSON \(/],
  ])('rejects %j and names the field', (fields, message) => {
    expect(() => fieldValues(fields)).toThrow(message);
  });
});
