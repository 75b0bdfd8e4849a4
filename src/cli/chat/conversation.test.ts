import { describe, expect, it } from 'vitest';
import { Conversation } from './conversation.ts';

const requested = { stream: true, stream_options: { include_usage: true } };
const said = (text: string) => ({ text, calls: [] });

describe('Conversation', () => {
  it('asks with all that was said, the system message and the fields', () => {
    const conversation = new Conversation('toy', { system: 'Be brief.', fields: [['temperature', 0.2]] });
    conversation.request('One?');
    conversation.keep(said('1'));
    expect(conversation.request('Two?')).toEqual({
      model: 'toy',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'One?' },
        { role: 'assistant', content: '1' },
        { role: 'user', content: 'Two?' },
      ],
      temperature: 0.2,
      ...requested,
    });
  });

  it('stores no prompt without a response', () => {
    const conversation = new Conversation('toy');
    conversation.request('One?');
    conversation.keep(said(''));
    expect(conversation.length).toBe(0);
    expect(conversation.takeBack()).toBe('One?');
  });

  it('keeps calls', () => {
    const conversation = new Conversation('toy');
    const call = { id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } } as const;
    conversation.request('When?');
    conversation.keep({ text: '', calls: [call] });
    expect(conversation.request('And?')).toMatchObject({
      messages: [{ content: 'When?' }, { role: 'assistant', content: '', tool_calls: [call] }, { content: 'And?' }],
    });
  });

  it('removes the last prompt with its response', () => {
    const conversation = new Conversation('toy');
    expect(conversation.takeBack()).toBe(undefined);
    for (const [prompt, response] of [
      ['One?', '1'],
      ['Two?', '2'],
    ] as const) {
      conversation.request(prompt);
      conversation.keep(said(response));
    }
    expect([conversation.takeBack(), conversation.length]).toEqual(['Two?', 2]);
    conversation.clear();
    expect([conversation.takeBack(), conversation.length]).toEqual([undefined, 0]);
  });

  it('comes back from what it saved, with the model of now', () => {
    const first = new Conversation('toy', { system: 'Be brief.', fields: [['stop', ['x']]] });
    first.request('One?');
    first.keep(said('1'));
    const second = new Conversation('other', { fields: [['seed', 1]] });
    second.load(first.saved());
    expect(JSON.parse(second.saved())).toEqual({ ...JSON.parse(first.saved()), model: 'other' });
    expect(second.takeBack()).toBe('One?');
  });

  it.each(['', 'text', '[]', '{}', '{"messages":[{"role":"user"}]}'])('refuses what is no conversation: %s', (text) => {
    expect(() => new Conversation('toy').load(text)).toThrow(new RangeError('is not a conversation from /save'));
  });
});
