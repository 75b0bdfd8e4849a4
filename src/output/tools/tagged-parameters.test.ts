import { describe, expect, it } from 'vitest';
import { run, tools, type Value } from '../../../test/support/tool-recording.ts';
import { glm45 } from './glm45.ts';
import { minimaxM2 } from './minimax-m2.ts';
import { qwen3Coder } from './qwen3-coder.ts';
import type { ToolFormat } from './tool-parser.ts';

function parse(format: ToolFormat, text: string): readonly Value[] {
  const parser = () => format.parser({ tools, mostHeld: 1000 });
  const result = run(parser(), [text]);
  for (let at = 0; at <= text.length; at++) expect(run(parser(), [text.slice(0, at), text.slice(at)])).toEqual(result);
  expect(run(parser(), text.split(''))).toEqual(result);
  return result;
}

const weather = (json: string): Value => ({ call: 'get_weather', arguments: json, isComplete: true });
const search = (query: string): Value => ({
  call: 'search',
  arguments: `{"query": ${JSON.stringify(query)}}`,
  isComplete: true,
});
const ping: Value = { call: 'ping', arguments: '{}', isComplete: true };
const paris = weather('{"city": "Paris", "days": 3}');

describe('a value without its closing tag', () => {
  it('ends with the next parameter', () => {
    expect(
      parse(
        qwen3Coder,
        '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>',
      ),
    ).toEqual([paris]);
    expect(
      parse(
        glm45,
        '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris\n<arg_key>days</arg_key><arg_value>3</arg_value></tool_call>',
      ),
    ).toEqual([paris]);
    expect(
      parse(
        minimaxM2,
        '<minimax:tool_call><invoke name="get_weather">\n<parameter name="city">Paris\n<parameter name="days">3</parameter>\n</invoke>\n</minimax:tool_call>',
      ),
    ).toEqual([paris]);
  });

  it('ends with the call', () => {
    const qwen = '<function=get_weather>\n<parameter=city>\nParis';
    const expected = [weather('{"city": "Paris"}'), { text: '\nBye' }];
    expect(parse(qwen3Coder, `<tool_call>\n${qwen}\n</function>\n</tool_call>\nBye`)).toEqual(expected);
    expect(parse(qwen3Coder, `<tool_call>\n${qwen}</function>\n</tool_call>\nBye`)).toEqual(expected);
    expect(parse(qwen3Coder, `${qwen}\n</function>\nBye`)).toEqual(expected);
    expect(parse(qwen3Coder, `${qwen}</function>`)).toEqual([weather('{"city": "Paris"}')]);
    expect(
      parse(
        glm45,
        '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</tool_call>\n<tool_call>ping\n</tool_call>\nBye',
      ),
    ).toEqual([weather('{"city": "Paris"}'), ping, { text: '\nBye' }]);
  });

  it('may be empty', () => {
    expect(
      parse(qwen3Coder, '<function=get_weather>\n<parameter=city>\n<parameter=days>\n3\n</parameter>\n</function>'),
    ).toEqual([weather('{"city": "", "days": 3}')]);
    expect(parse(glm45, '<tool_call>get_weather<arg_key>city</arg_key><arg_value></tool_call>')).toEqual([
      weather('{"city": ""}'),
    ]);
  });
});

it('holds tags that are within its lines', () => {
  const query = 'a <parameter=b> "</function>" c </function>\n<b>';
  expect(
    parse(qwen3Coder, `<function=search>\n<parameter=query>\n${query}\n</parameter>\n</function>\n</tool_call>`),
  ).toEqual([search(query)]);
});

describe('a call without its closing tag', () => {
  it('ends with what follows calls', () => {
    const call = '<function=search>\n<parameter=query>\nx\n</parameter>\n';
    expect(parse(qwen3Coder, `<tool_call>\n${call}</tool_call>\nBye`)).toEqual([search('x'), { text: '\nBye' }]);
    expect(parse(qwen3Coder, `${call}<function=ping>\n</function>`)).toEqual([search('x'), ping]);
    expect(
      parse(glm45, '<tool_call>search<arg_key>query</arg_key><arg_value>x</arg_value><tool_call>ping</tool_call>'),
    ).toEqual([search('x'), ping]);
  });
});

describe('a broken tag', () => {
  it.each([
    ['qwen3_coder', qwen3Coder, '<function=get_weather', '<function=ping>\n</function>'],
    ['qwen3_coder', qwen3Coder, '<function=get_weather><parameter=city</function>', '<function=ping>\n</function>'],
    ['glm45', glm45, '<tool_call>get_weather<arg_key>city</tool_call>', '<tool_call>ping</tool_call>'],
  ])('does not reach into the next call: %s', (_, format, broken, call) => {
    expect(parse(format, `${broken}\n${call}`)).toEqual([{ text: broken }, ping]);
  });
});
