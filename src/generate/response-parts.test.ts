import { describe, expect, it } from 'vitest';
import { EventList } from '../../test/support/scripted-model.ts';
import { think } from '../output/reasoning/marked-formats.ts';
import { hermes } from '../output/tools/hermes.ts';
import { ResponseParts } from './response-parts.ts';

function partsOf(isSingleCall = false): ResponseParts {
  const tools = [{ name: 'ping', parameters: undefined }];
  return new ResponseParts({
    newReasoning: () => think.parser({ prompt: '' }),
    newTools: () => hermes.parser({ tools, mostHeld: 1000 }),
    newSpecials: () => undefined,
    idStyle: 'openai',
    isSingleCall,
    needsSteps: true,
  });
}

/** All events of a response with one token per piece, without call ids. */
function run(parts: ResponseParts, pieces: readonly string[]) {
  const list = new EventList();
  for (const text of pieces) parts.push(list, 0, text, 1, undefined);
  parts.end(0, list);
  const out = list.events;
  const of = (type: string) => out.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
  const calls = out.flatMap((event) => (event.type === 'tool-call-delta' ? [event.name ?? event.arguments] : []));
  return { text: of('text-delta'), reasoning: of('reasoning-delta'), calls, reasoningTokens: parts.reasoningTokens };
}

const call = ['<tool_call>', '{"name": "ping", "arguments": {', '}', '}', '</tool_call>'];

describe('ResponseParts', () => {
  it('counts the tokens of reasoning, and none of the response', () => {
    expect(run(partsOf(), ['<think>', 'a', ' b', '</think>', 'So', '.'])).toEqual({
      text: 'So.',
      reasoning: 'a b',
      calls: [],
      reasoningTokens: 3,
    });
  });

  it('counts no token of a call that follows reasoning directly', () => {
    const pieces = ['<think>', 'a', ' b', '</think>', ...call];
    const value = run(partsOf(), pieces);
    expect([value.text, value.reasoning, value.calls.join('')]).toEqual(['', 'a b', 'ping{}']);
    expect(value.reasoningTokens).toBe(3);
  });

  it('emits nothing after the only allowed call', () => {
    const { text, calls } = run(partsOf(true), [...call, ' and more ', ...call]);
    expect([text, calls.join('')]).toEqual(['', 'ping{}']);
  });
});
