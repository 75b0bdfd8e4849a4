import { describe, expect, it } from 'vitest';
import { Recording, run, tools, type Value } from '../../../test/support/tool-recording.ts';
import { granite } from './granite.ts';
import { llama3Json } from './llama3-json.ts';
import type { ToolFormat } from './tool-parser.ts';

function parse(format: ToolFormat, text: string, mostHeld = 1000): readonly Value[] {
  const parser = () => format.parser({ tools, mostHeld });
  const result = run(parser(), [text]);
  for (let at = 0; at <= text.length; at++) expect(run(parser(), [text.slice(0, at), text.slice(at)])).toEqual(result);
  return result;
}

const weather = '{"name": "get_weather", "parameters": {}}';
const called: Value = { call: 'get_weather', arguments: '{}', isComplete: true };
const formats = [['llama3_json', llama3Json] as const, ['granite', granite] as const];

describe.each(formats)('a JSON call without a marker: %s', (_, format) => {
  it.each([
    weather,
    '{"type": "function", "name": "get_weather", "parameters": {}}',
    '{"name": "get_weather", "id": "1", "arguments": "{}"}',
    '{"name": "get_weather"}',
    `[${weather}]`,
  ])('%s is one', (text) => {
    expect(parse(format, text)).toEqual([called]);
  });

  it.each([
    '{"name": "ping", "status": "ok", "latency": 3}',
    '{"name": "get_weather", "description": "It rains.", "parameters": {"type": "object", "properties": {}}}',
    '{"name": "get_weather", "arguments": "{}", "result": 5}',
    '{"type": "function", "function": {"name": "get_weather", "parameters": {}}}',
    '{"name": "get_weather", "type": "tool", "parameters": {}}',
    '[{"name": "ping", "status": "ok"}, {"name": "get_weather", "status": "ok"}]',
    '{"title": "Tools", "tools": [{"name": "ping", "parameters": {}}]}',
    '[{"title": "Tools"}, {"name": "ping", "parameters": {}}]',
  ])('%s is a response, and stays whole', (text) => {
    expect(parse(format, text)).toEqual([{ text }]);
  });

  it('keeps members that come behind its arguments as text', () => {
    expect(parse(format, '{"name": "get_weather", "parameters": {}, "tools": [{"name": "ping"}]}')).toEqual([
      called,
      { text: ', "tools": [{"name": "ping"}]}' },
    ]);
  });

  it('does not hold back a response in JSON', () => {
    for (const text of ['{"title": "A", "name": "get_weather"', `[{"title": "A", "body": "${'x'.repeat(500)}`]) {
      const parser = format.parser({ tools, mostHeld: 1000 });
      const recording = new Recording();
      parser.push(text, recording);
      expect(recording.given).toEqual([{ text }]);
    }
  });
});

describe('calls of Llama 3', () => {
  it('may name the type first, and have no separator', () => {
    const typed = '{"type": "function", "name": "get_weather", "parameters": {}}';
    expect(parse(llama3Json, `${typed}${weather}`)).toEqual([called, called]);
  });

  it('may be a list, in text and behind the tag', () => {
    expect(parse(llama3Json, `So: [${weather}, ${weather}] Done [1].`)).toEqual([
      { text: 'So: ' },
      called,
      called,
      { text: ' Done [1].' },
    ]);
    expect(parse(llama3Json, `<|python_tag|>[${weather}, ${weather},]`)).toEqual([called, called]);
  });

  it('may have other members behind the tag', () => {
    const text = '<|python_tag|>{"name": "get_weather", "reason": "rain", "parameters": {}}';
    expect(parse(llama3Json, text)).toEqual([called]);
  });
});
