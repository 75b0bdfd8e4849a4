import { describe, expect, it, vi } from 'vitest';
import { applyFilter } from './jinja/filters.ts';
import type { Value } from './jinja/values.ts';
import { toolsValue } from './tool-values.ts';

const tools = () => [{ type: 'function', function: { name: 'é', parameters: { b: 1, a: [] } } }];
const json = (value: Value, named: Record<string, Value> = {}) =>
  applyFilter('tojson', value, { args: [], named: new Map(Object.entries(named)) }) as string;

describe('toolsValue', () => {
  it('makes one value for a list', () => {
    const list = tools();
    expect(toolsValue(list)).toBe(toolsValue(list));
    expect(toolsValue(tools())).toEqual(toolsValue(list));
    expect(toolsValue(tools())).not.toBe(toolsValue(list));
  });

  it('writes the JSON of each tool once for each style', () => {
    const [tool] = toolsValue(tools()) as Map<Value, Value>[];
    const text = '{"type": "function", "function": {"name": "é", "parameters": {"b": 1, "a": []}}}';
    const sorted = '{"function": {"name": "é", "parameters": {"a": [], "b": 1}}, "type": "function"}';
    const escaped = text.replace('é', '\\u00e9');
    const compact = text.replaceAll(': ', ':').replaceAll(', ', ',');
    const indented = JSON.stringify(tools()[0], undefined, 2);
    const stringify = vi.spyOn(JSON, 'stringify');
    try {
      for (const round of [1, 2]) {
        stringify.mockClear();
        expect(json(tool as Value)).toBe(text);
        expect(json(tool as Value, { sort_keys: true })).toBe(sorted);
        expect(json(tool as Value, { ensure_ascii: true })).toBe(escaped);
        expect(json(tool as Value, { separators: [',', ':'] })).toBe(compact);
        expect(json(tool as Value, { indent: 2 })).toBe(indented);
        const texts = stringify.mock.calls.filter(([value]) => typeof value === 'string');
        expect(texts.length > 0).toBe(round === 1);
      }
    } finally {
      stringify.mockRestore();
    }
  });

  it('writes the JSON of the list and of a function', () => {
    const value = toolsValue(tools()) as Map<Value, Value>[];
    const callee = value[0]?.get('function') as Value;
    for (let round = 0; round < 2; round++) {
      expect(json(callee)).toBe('{"name": "é", "parameters": {"b": 1, "a": []}}');
      expect(json(value)).toBe(`[${json(value[0] as Value)}]`);
    }
  });
});
