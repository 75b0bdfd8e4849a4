import { describe, expect, it } from 'vitest';
import { run, tools, type Value } from '../../../test/support/tool-recording.ts';
import { deepseekV3, deepseekV31 } from './deepseek.ts';
import { kimiK2 } from './kimi-k2.ts';
import type { ToolFormat } from './tool-parser.ts';

function parse(format: ToolFormat, text: string): readonly Value[] {
  const parser = () => format.parser({ tools, mostHeld: 1000 });
  const result = run(parser(), [text]);
  for (let at = 0; at <= text.length; at++) expect(run(parser(), [text.slice(0, at), text.slice(at)])).toEqual(result);
  return result;
}

const ping: Value = { call: 'ping', arguments: '{}', isComplete: true };
const kimiPing = (id: string): Value => ({ call: 'ping', id, arguments: '{}', isComplete: true });

const deepseek = (...calls: readonly string[]) =>
  `<｜tool▁calls▁begin｜>${calls.map((call) => `<｜tool▁call▁begin｜>${call}<｜tool▁call▁end｜>`).join('')}<｜tool▁calls▁end｜>`;
const kimi = (...calls: readonly string[]) =>
  `<|tool_calls_section_begin|>${calls.map((call) => `<|tool_call_begin|>${call}<|tool_call_end|>`).join('')}<|tool_calls_section_end|>`;
const kimiCall = (id: string) => `${id}<|tool_call_argument_begin|>{}`;

describe('a call after a bad one', () => {
  it.each([
    ['get_weather {"city": "P"}', 'without its separator'],
    ['function<｜tool▁sep｜>get_weather {"city": "P"}', 'without its block'],
  ])('is read: deepseek_v3, %s', (bad) => {
    const good = 'function<｜tool▁sep｜>ping\n```json\n{}\n```';
    expect(parse(deepseekV3, deepseek(bad, good))).toEqual([
      { text: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${bad}<｜tool▁call▁end｜>` },
      ping,
    ]);
  });

  it('is read: deepseek_v31', () => {
    expect(parse(deepseekV31, deepseek('get_weather {"city": "P"}', 'ping<｜tool▁sep｜>{}'))).toEqual([
      { text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather {"city": "P"}<｜tool▁call▁end｜>' },
      ping,
    ]);
  });

  it('is read: kimi_k2', () => {
    expect(parse(kimiK2, kimi('functions.get_weather:0 {"city":"P"}', kimiCall('functions.ping:1')))).toEqual([
      {
        text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0 {"city":"P"}<|tool_call_end|>',
      },
      kimiPing('functions.ping:1'),
    ]);
  });

  it('is read where the arguments break and their end is missing', () => {
    const text = `<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": P!${kimi(kimiCall('functions.ping:1')).slice('<|tool_calls_section_begin|>'.length)}`;
    expect(parse(kimiK2, text)).toEqual([
      { call: 'get_weather', id: 'functions.get_weather:0', arguments: '{"city": P!', isComplete: true },
      kimiPing('functions.ping:1'),
    ]);
  });
});

describe('empty arguments', () => {
  it('are an empty object', () => {
    expect(parse(deepseekV3, deepseek('function<｜tool▁sep｜>ping\n```json\n\n```'))).toEqual([ping]);
    expect(parse(deepseekV31, deepseek('ping<｜tool▁sep｜>'))).toEqual([ping]);
    expect(parse(kimiK2, kimi('functions.ping:0<|tool_call_argument_begin|>'))).toEqual([kimiPing('functions.ping:0')]);
  });
});

it('a line break may follow the block of deepseek_v3', () => {
  const call = 'function<｜tool▁sep｜>ping\n```json\n{}\n```\n';
  expect(parse(deepseekV3, `${deepseek(call, call)}\nBye`)).toEqual([ping, ping, { text: '\nBye' }]);
});

it('an id that Kimi repeats gets another number', () => {
  const ids = ['functions.ping', 'functions.ping', 'functions.ping:1', 'functions.ping:0', 'functions.ping'];
  expect(parse(kimiK2, kimi(...ids.map(kimiCall)))).toEqual(
    ['functions.ping', 'functions.ping:1', 'functions.ping:2', 'functions.ping:0', 'functions.ping:3'].map(kimiPing),
  );
});
