import { describe, expect, it } from 'vitest';
import { run, tools, type Value } from '../../../test/support/tool-recording.ts';
import { namedCallParser, requiredCallsParser } from './guided-calls.ts';

const options = { tools, mostHeld: 1000 };

function required(text: string): readonly Value[] {
  const result = run(requiredCallsParser(options), [text]);
  for (let at = 0; at <= text.length; at++)
    expect(run(requiredCallsParser(options), [text.slice(0, at), text.slice(at)])).toEqual(result);
  return result;
}

function named(text: string): readonly Value[] {
  const result = run(namedCallParser('search', options), [text]);
  expect(run(namedCallParser('search', options), text.split(''))).toEqual(result);
  return result;
}

describe('required calls', () => {
  it('are a list', () => {
    expect(
      required('[{"name": "get_weather", "parameters": {"city": "Zürich"}},\n{"name": "ping", "parameters": {}}]\n'),
    ).toEqual([
      { call: 'get_weather', arguments: '{"city": "Zürich"}', isComplete: true },
      { call: 'ping', arguments: '{}', isComplete: true },
    ]);
  });

  it('leave no JSON in the text wherever the token limit cuts them', () => {
    const whole = '[{"name": "get_weather", "parameters": {"city": "Rome"}}, {"name": "ping", "parameters": {}}]';
    for (let at = 0; at <= whole.length; at++)
      expect([whole.slice(0, at), required(whole.slice(0, at)).filter((value) => 'text' in value)]).toEqual([
        whole.slice(0, at),
        [],
      ]);
  });

  it('may be cut', () => {
    expect(required('[{"name": "get_weather", "parameters": {"ci')).toEqual([
      { call: 'get_weather', arguments: '{"ci', isComplete: true },
    ]);
    expect(required('[{"name": "get_weather", "param')).toEqual([
      { call: 'get_weather', arguments: '', isComplete: true },
    ]);
    expect(required('[{"name": "ping", "parameters": {}}, {"na')).toEqual([
      { call: 'ping', arguments: '{}', isComplete: true },
    ]);
    expect(required('[{"name": "get_wea')).toEqual([]);
    expect(required(' [')).toEqual([]);
  });

  it('are text where an object that is cut is no call', () => {
    expect(required('{"answer": {"a": 1')).toEqual([{ text: '{"answer": {"a": 1' }]);
    expect(required('[{"namely": 1')).toEqual([{ text: '[{"namely": 1' }]);
  });

  it('are text where they are none', () => {
    expect(required('I will not. [{"name": "ping"}]')).toEqual([{ text: 'I will not. [{"name": "ping"}]' }]);
  });
});

describe('a named call', () => {
  it('is its arguments', () => {
    expect(named(' {"query": "a } b"}\n')).toEqual([
      { call: 'search', arguments: '{"query": "a } b"}', isComplete: true },
    ]);
  });

  it('keeps what follows', () => {
    expect(named('{} done')).toEqual([{ call: 'search', arguments: '{}', isComplete: true }, { text: ' done' }]);
  });

  it('is text where it is none', () => {
    expect(named('No {}.')).toEqual([{ text: 'No {}.' }]);
    expect(named('')).toEqual([]);
  });
});
