import { describe, expect, it } from 'vitest';
import { documentedParsers } from '../../../test/support/documented-parsers.ts';
import { findToolFormat, fittingToolFormat, toolFormats } from './formats.ts';

describe('the formats', () => {
  it('have names and aliases of their own', () => {
    const names = toolFormats.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const format of toolFormats)
      for (const name of [format.name, ...(format.aliases ?? [])]) expect(findToolFormat(name)).toBe(format);
    expect(findToolFormat('no such format')).toBeUndefined();
  });

  it('name the tags that some models have as special tokens', () => {
    for (const name of ['hermes', 'qwen3_coder', 'glm45'])
      expect(findToolFormat(name)?.otherMarkers).toEqual(expect.arrayContaining(['<tool_call>', '</tool_call>']));
  });

  it('are the formats of docs/tool-calling.md', () => {
    expect(toolFormats.flatMap(({ name, aliases = [] }) => [name, ...aliases]).toSorted()).toEqual(
      documentedParsers('--tool-call-parser').toSorted(),
    );
    expect(findToolFormat('llama3')?.name).toBe('llama3_json');
    expect(findToolFormat('mistral')?.idStyle).toBe('mistral');
  });

  it.each([
    ['hermes', `{{- '<tool_call>\\n{"name": "' }}{{- tool_call.name }}`],
    ['qwen3_coder', `{{- '\\n<tool_call>\\n<function=' + tool_call.name + '>\\n' }}{{- '<parameter=' + args_name }}`],
    ['glm45', `{{ '\\n<tool_call>' + tc.name }}<arg_key>{{ k }}</arg_key>`],
    ['granite', `<|start_of_role|>available_tools<|end_of_role|>`],
    ['granite', `<|start_of_role|>assistant<|end_of_role|><tool_call>\\n{"name": "`],
    ['mistral', `{{- "[TOOL_CALLS][" }}`],
    ['deepseek_v3', "'<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + tool['type'] + '```json'"],
    ['deepseek_v31', "'<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + tool['function']['name']"],
    ['kimi_k2', `<|im_system|>tool_declare<|im_middle|>{{ tools | tojson }}<|im_end|>`],
    ['gpt-oss', `<|start|>assistant to=functions.{{ name }}<|channel|>commentary json<|message|>`],
    ['minimax_m2', `{%- set toolcall_begin_token = '<minimax:tool_call>' -%}`],
    ['phi4_mini', `in a single JSON list formatted as functools[{"name": [function name]`],
    ['phi4_mini', `'<|tool|>' + message['tools'] + '<|/tool|>'`],
    ['llama3_json', `{"name": function name, "parameters": dictionary of argument name and its value}`],
    ['llama3_json', `{{- "<|python_tag|>" + tool_call.name + ".call(" }}`],
    ['llama4_pythonic', `<|header_start|>system<|header_end|> [func_name1(param1=value1, param2=value2)]`],
    ['pythonic', `<|start_header_id|> [func_name1(params_name1=params_value1)]`],
    [undefined, `<|start_header_id|>{{ message['role'] }}<|end_header_id|>`],
    [undefined, `<start_of_turn>model`],
    [undefined, `{%- set toolcall_begin_token = ns_token ~ '<tool_call>' -%}<invoke name="`],
  ])('%s fits a template with %s', (name, template) => {
    expect(fittingToolFormat(template)?.name).toBe(name);
  });
});
