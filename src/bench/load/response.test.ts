import { describe, expect, it } from 'vitest';
import { CollectedResponse, errorText, refusalText } from './response.ts';

const event = (delta: object, rest: object = {}): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...rest }] });

describe('Answer', () => {
  it('counts only events with text as tokens', () => {
    const response = new CollectedResponse('chat');
    const events = [
      event({ role: 'assistant', content: '' }),
      event({ content: 'Hel' }),
      event({ content: 'lo' }),
      event({}, { finish_reason: 'stop' }),
      JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
      '[DONE]',
    ];
    expect(events.map((data) => response.takeEvent(data))).toEqual([false, true, true, false, false, false]);
    expect(response).toMatchObject({ texts: ['Hello'], usage: { prompt: 3, completion: 2 }, isFinished: true });
    expect(response.error).toBeUndefined();
  });

  it('counts reasoning, refusals, tool calls and further choices, each for itself', () => {
    const response = new CollectedResponse('chat');
    const events = [
      event({ reasoning_content: 'hm' }),
      event({ reasoning: 'm' }),
      event({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] }),
      event({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
      event({ tool_calls: [{ index: 1, function: { name: 'g' } }] }),
      event({ refusal: 'no' }),
      event({ content: 'b' }, { index: 1 }),
      event({ content: null, tool_calls: null }),
    ];
    expect(events.map((data) => response.takeEvent(data))).toEqual([true, true, true, true, true, true, true, false]);
    expect(response.texts).toEqual(['hmm', 'f{}', 'g', 'no', 'b']);
  });

  it('reads completions', () => {
    const response = new CollectedResponse('completions');
    expect(response.takeEvent(JSON.stringify({ choices: [{ text: 'a', index: 0 }] }))).toBe(true);
    expect(response.takeEvent(JSON.stringify({ choices: [{ text: '', finish_reason: 'length' }] }))).toBe(false);
    expect(response).toMatchObject({ texts: ['a'], isFinished: true });
  });

  it('reads responses that are not streamed', () => {
    const response = new CollectedResponse('chat');
    const choices = [{ message: { content: 'all', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] } }];
    expect(response.takeWhole(JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 2 } }))).toBe(
      true,
    );
    expect(response).toMatchObject({ texts: ['all', 'f{}'], usage: { prompt: 1, completion: 2 }, isFinished: true });
  });

  it('reads embeddings', () => {
    const response = new CollectedResponse('embeddings');
    expect(response.takeWhole('{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":4}}')).toBe(true);
    expect(response).toMatchObject({ texts: [], usage: { prompt: 4, completion: undefined } });
    expect(new CollectedResponse('embeddings').takeWhole('{"data":[]}')).toBe(false);
  });

  it('keeps the first error of a stream', () => {
    const response = new CollectedResponse('chat');
    response.takeEvent('{"error":{"message":"the engine broke"}}');
    response.takeEvent('not JSON');
    expect(response.error).toBe('error in the response: the engine broke');
  });

  it('reports invalid JSON', () => {
    const streamed = new CollectedResponse('chat');
    expect(streamed.takeEvent('{"cut')).toBe(false);
    expect(streamed.error).toBe('event is not valid JSON');
    const whole = new CollectedResponse('chat');
    expect(whole.takeWhole('<html>')).toBe(false);
    expect(whole.error).toBe('response is not valid JSON');
  });
});

describe('the messages of errors', () => {
  it.each([
    [{ message: 'm' }, 'm'],
    [{ detail: 'd' }, 'd'],
    ['plain', 'plain'],
    [{ code: 7 }, '{"code":7}'],
    [{ message: 'x'.repeat(200) }, `${'x'.repeat(160)}…`],
  ])('%j', (error, text) => {
    expect(errorText(error)).toBe(text);
  });

  it('are found in the body of a refusal', () => {
    expect(refusalText('{"error":{"message":"no such model"}}')).toBe('no such model');
    expect(refusalText('{"detail":"not found"}')).toBe('not found');
    expect(refusalText('Bad gateway')).toBe('Bad gateway');
  });
});
