import { describe, expect, it } from 'vitest';
import { checkSchema } from '../json-schema/check.ts';
import { type ToolUse, toolUseOf } from '../requests/tools.ts';
import { callStructure } from './tool-structure.ts';

const tool = (name: string, parameters?: Record<string, unknown>) => ({
  type: 'function' as const,
  function: { name, ...(parameters ? { parameters } : {}) },
});
const structure = (choice: 'required' | { type: 'function'; function: { name: string } }, ...tools: object[]) => {
  const use = toolUseOf({ tools: tools as ReturnType<typeof tool>[], tool_choice: choice });
  const expected = use && callStructure(use)?.structure;
  if (!expected || !('json' in expected)) throw new Error('There is no schema.');
  checkSchema(expected.json, 'made');
  return expected.json;
};
const parametersIn = (json: object) =>
  (json as { items: { anyOf: { properties: { parameters: unknown } }[] } }).items.anyOf.map(
    ({ properties }) => properties.parameters,
  );

describe('the schema of calls that are insisted on', () => {
  it('says where a definition with a long name comes from, which errors cut', () => {
    const name = 'n'.repeat(70);
    const parameters = { $defs: { [name]: { type: 'string' } }, properties: { a: { $ref: `#/$defs/${name}` } } };
    const use = toolUseOf({ tools: [tool('ping', parameters)], tool_choice: 'required' });
    expect(use && callStructure(use)?.paths[`.$defs.tool0_${name.slice(0, 58)}…`]).toBe(
      `tools[0].function.parameters.$defs.${name.slice(0, 64)}…`,
    );
  });

  it('lets a schema refer to itself', () => {
    const tree = {
      type: 'object',
      properties: { value: { type: 'string' }, copy: { $ref: '#/properties/value' }, inner: { $ref: '#' } },
    };
    const json = structure('required', tool('ping'), tool('grow', tree));
    expect(parametersIn(json)[1]).toEqual({ $ref: '#/$defs/tool1' });
    expect(json['$defs']).toEqual({
      tool1: {
        type: 'object',
        properties: {
          value: { type: 'string' },
          copy: { $ref: '#/$defs/tool1/properties/value' },
          inner: { $ref: '#/$defs/tool1' },
        },
      },
    });
  });

  it('keeps definitions of one name in two groups apart', () => {
    const both = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/definitions/A/items' } },
      $defs: { A: { type: 'string' } },
      definitions: { A: { type: 'array', items: { type: 'integer' } } },
    };
    const json = structure('required', tool('f', both));
    expect(parametersIn(json)).toEqual([
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/tool0_A' }, b: { $ref: '#/$defs/tool0_definitions_A/items' } },
      },
    ]);
    expect(json['$defs']).toEqual({
      tool0_A: { type: 'string' },
      tool0_definitions_A: { type: 'array', items: { type: 'integer' } },
    });
  });

  it('is that of an object, whatever the function says', () => {
    const named = { type: 'function', function: { name: 'f' } } as const;
    expect(structure(named, tool('f', {}))).toEqual({ type: 'object' });
    expect(structure(named, tool('f'))).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    expect(structure(named, tool('f', { $ref: '#/$defs/A', $defs: { A: { type: 'object' } } }))).toEqual({
      $ref: '#/$defs/A',
      $defs: { A: { type: 'object' } },
    });
    expect(parametersIn(structure('required', tool('f', {})))).toEqual([{ type: 'object' }]);
  });

  it('says where its parts stand in the request', () => {
    const shape = { $ref: '#/$defs/A', $defs: { A: { type: 'object' } }, definitions: { A: { type: 'null' } } };
    const tree = { type: 'object', properties: { inner: { $ref: '#' } } };
    const tools = [tool('ping'), tool('draw', shape), tool('grow', tree)];
    const allowed = [
      { type: 'function', function: { name: 'grow' } },
      { type: 'function', function: { name: 'draw' } },
    ];
    const any = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: allowed } } as const;
    const locationsOf = (choice: unknown) =>
      callStructure(toolUseOf({ tools, tool_choice: choice } as Parameters<typeof toolUseOf>[0]) as ToolUse)?.paths;
    expect(locationsOf(any)).toEqual({
      '.items.anyOf[0].properties.parameters': 'tools[2].function.parameters',
      '.items.anyOf[1].properties.parameters': 'tools[1].function.parameters',
      '.$defs.tool0': 'tools[2].function.parameters',
      '.$defs.tool1_A': 'tools[1].function.parameters.$defs.A',
      '.$defs.tool1_definitions_A': 'tools[1].function.parameters.definitions.A',
    });
    expect(locationsOf({ type: 'function', function: { name: 'draw' } })).toEqual({
      '': 'tools[1].function.parameters',
    });
  });
});
