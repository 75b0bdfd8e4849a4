import { describe, expect, it } from 'vitest';
import { run, tools, type Value } from '../../../test/support/tool-recording.ts';
import { granite } from './granite.ts';
import { hermes } from './hermes.ts';
import { llama3Json } from './llama3-json.ts';
import { mistral } from './mistral.ts';
import { phi4Mini } from './phi4-mini.ts';
import type { ToolFormat } from './tool-parser.ts';

function parse(format: ToolFormat, text: string, mostHeld = 1000): readonly Value[] {
  const parser = () => format.parser({ tools, mostHeld });
  const result = run(parser(), [text]);
  expect(run(parser(), text.split(''))).toEqual(result);
  return result;
}

const called = (json: string): Value => ({ call: 'get_weather', arguments: json, isComplete: true });

describe('a JSON call', () => {
  it.each([
    ['with parameters', '{"name": "get_weather", "parameters": {"a": 1}}', '{"a": 1}'],
    ['with the arguments first', '{"arguments": {"a": {}}, "name": "get_weather"}', '{"a": {}}'],
    ['without arguments', '{"name": "get_weather"}', '{}'],
    ['with null for arguments', '{"name": "get_weather", "arguments": null}', '{}'],
    ['with an empty string for arguments', '{"name": "get_weather", "arguments": ""}', '{}'],
    ['with arguments in a string', '{"name": "get_weather", "arguments": "{\\"a\\": \\"ü\\"}"}', '{"a": "ü"}'],
    ['with an empty object in a string', '{"arguments": " {} ", "name": "get_weather"}', '{}'],
    ['with other members', '{"type": "function", "name": "get_weather", "arguments": {}, "id": 5}', '{}'],
    ['with spaces', '{ "name" : "get_weather" ,\n "arguments" : { } }', '{ }'],
    ['with an escaped name', '{"name": "get\\u005fweather", "arguments": {}}', '{}'],
    ['without its last brace', '{"name": "get_weather", "arguments": {}', '{}'],
    ['with line breaks in strings', '{"name": "get_weather", "arguments": {"city": "a\nb"}}', '{"city": "a\nb"}'],
  ])('%s', (_, json, expected) => {
    expect(parse(hermes, `<tool_call>\n${json}\n</tool_call>`)).toEqual([called(expected)]);
  });

  it.each([
    '{"name": "get_weather", "arguments": "Paris"}',
    '{"name": "get_weather", "arguments": "{} {}"}',
    '{"name": "get_weather", "arguments": "{\\"city\\": "}',
    '{"name": "get_weather", "arguments": [1]}',
    '{"name": 5, "arguments": {}}',
    '{"arguments": {}}',
    '{}',
    '{"name": "get_weather",}',
    '{"name": "get_\\xweather", "arguments": {}}',
    'get_weather',
    '[]',
  ])('%s is none', (json) => {
    const text = `<tool_call>\n${json}\n</tool_call>`;
    expect(parse(hermes, text)).toEqual([{ text }]);
  });

  it('keeps what follows broken arguments in them, up to the end of the call', () => {
    const begin = '<tool_call>\n{"name": "get_weather", "arguments": ';
    expect(parse(hermes, `${begin}{"city": <b>]}\n</tool_call>\nBye`)).toEqual([
      called('{"city": <b>]}\n'),
      { text: '\nBye' },
    ]);
    expect(parse(hermes, `${begin}{"city": ["a"}}, and so on`)).toEqual([called('{"city": ["a"}}, and so on')]);
  });

  it('may close a brace too many', () => {
    const call = '<tool_call>\n{"name": "get_weather", "arguments": {}}';
    expect(parse(hermes, `${call}}\n</tool_call>\nBye`)).toEqual([called('{}'), { text: '\nBye' }]);
    expect(parse(hermes, `${call}}\nBye`)).toEqual([called('{}'), { text: '}\nBye' }]);
  });

  it('keeps what follows complete arguments as text', () => {
    const begin = '<tool_call>{"name": "get_weather", "arguments": {}';
    expect(parse(hermes, `${begin} oops}</tool_call>`)).toEqual([called('{}'), { text: ' oops}</tool_call>' }]);
  });

  it('may not be held for longer than allowed before its name is known', () => {
    const text = `<tool_call>{"arguments": {"city": "${'x'.repeat(2000)}"}, "name": "get_weather"}</tool_call>`;
    expect(parse(hermes, text)).toEqual([{ text }]);
    expect(parse(hermes, text, 3000)).toHaveLength(1);
    expect(parse(hermes, text, 3000)).not.toEqual([{ text }]);
  });
});

describe('a list of JSON calls', () => {
  const weather = '{"name": "get_weather", "arguments": {}}';
  const unknown = '{"name": "launch", "arguments": {"a": "[TOOL_CALLS]"}}';

  it('gives the calls between those that are text', () => {
    expect(parse(mistral, `[TOOL_CALLS][${unknown}, ${weather}, ${unknown}]`)).toEqual([
      { text: `[TOOL_CALLS][${unknown}` },
      called('{}'),
      { text: `, ${unknown}]` },
    ]);
  });

  it('ends at what is no call', () => {
    expect(parse(mistral, `[TOOL_CALLS][${weather}, oops]`)).toEqual([called('{}'), { text: ', oops]' }]);
  });

  it('may have a comma behind the last call', () => {
    expect(parse(mistral, `[TOOL_CALLS][${weather}, ${weather},\n]`)).toEqual([called('{}'), called('{}')]);
  });

  it.each([
    ['hermes', hermes, `<tool_call>\n${weather}\n${weather}\n</tool_call>`],
    ['granite', granite, `<|tool_call|>${weather}, ${weather}`],
    ['mistral', mistral, `[TOOL_CALLS] ${weather}, ${weather}`],
    ['llama3_json', llama3Json, `${weather}, ${weather}`],
    ['llama3_json with its tag', llama3Json, `<|python_tag|>${weather},${weather}`],
  ])('may lack its brackets: %s', (_, format, text) => {
    expect(parse(format, text)).toEqual([called('{}'), called('{}')]);
  });

  it('without brackets also goes on behind what is text', () => {
    expect(parse(hermes, `<tool_call>${unknown}\n${weather}\n${unknown}</tool_call>`)).toEqual([
      { text: `<tool_call>${unknown}` },
      called('{}'),
      { text: `\n${unknown}</tool_call>` },
    ]);
    expect(parse(mistral, `[TOOL_CALLS]${weather}, {"a": 1}`)).toEqual([called('{}'), { text: ', {"a": 1}' }]);
  });

  it('may lack its end', () => {
    expect(parse(mistral, `[TOOL_CALLS] [${weather}, ${weather}`)).toEqual([called('{}'), called('{}')]);
  });
});

describe('other ways to write JSON calls', () => {
  const weather = '{"name": "get_weather", "arguments": {}}';

  it('Granite may begin with the list', () => {
    expect(parse(granite, ` [${weather}, ${weather}]`)).toEqual([called('{}'), called('{}')]);
    expect(parse(granite, `[1] is a list, as is [${weather}]`)).toEqual([
      { text: `[1] is a list, as is [${weather}]` },
    ]);
  });

  it('Phi-4-mini has tokens for it', () => {
    expect(parse(phi4Mini, `<|tool_call|>[${weather}]<|/tool_call|>`)).toEqual([called('{}')]);
  });

  it('Mistral may leave [ARGS] out, and write one object', () => {
    expect(parse(mistral, '[TOOL_CALLS]get_weather{}')).toEqual([called('{}')]);
    expect(parse(mistral, `[TOOL_CALLS] ${weather}`)).toEqual([called('{}')]);
  });

  it('Mistral may write nothing behind [ARGS]', () => {
    const ping: Value = { call: 'ping', arguments: '{}', isComplete: true };
    expect(parse(mistral, '[TOOL_CALLS]ping[ARGS]')).toEqual([ping]);
    expect(parse(mistral, '[TOOL_CALLS]get_weather[ARGS][TOOL_CALLS]ping[ARGS]\n')).toEqual([called('{}'), ping]);
    for (const text of ['[TOOL_CALLS]get_weather[ARGS]', '[TOOL_CALLS]ping', '[TOOL_CALLS]ping[TOOL_CALLS]'])
      expect(parse(mistral, text)).toEqual([{ text }]);
  });
});
