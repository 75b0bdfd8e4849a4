import { describe, expect, it } from 'vitest';
import { documentedParsers } from '../../../test/support/documented-parsers.ts';
import { findReasoningFormat, fittingReasoningFormat, reasoningFormats } from './formats.ts';

describe('the formats', () => {
  it('have names and aliases of their own', () => {
    const names = reasoningFormats.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const format of reasoningFormats)
      for (const name of [format.name, ...(format.aliases ?? [])]) expect(findReasoningFormat(name)).toBe(format);
    expect(findReasoningFormat('no such format')).toBeUndefined();
  });

  it('are the formats of docs/tool-calling.md', () => {
    expect(reasoningFormats.flatMap(({ name, aliases = [] }) => [name, ...aliases]).toSorted()).toEqual(
      documentedParsers('--reasoning-parser').toSorted(),
    );
  });

  // Excerpts of the families' own chat templates.
  it.each([
    ['gpt-oss', `{{- "<|start|>assistant<|channel|>analysis<|message|>" + message.thinking + "<|end|>" }}`],
    ['mistral', `{{- '[THINK]' + block['thinking'] + '[/THINK]' }}`],
    [
      'granite',
      `Write your thoughts after 'Here is my thought process:' {{- '<|start_of_role|>system<|end_of_role|>' }}`,
    ],
    ['granite', `Write your thoughts between <think></think> {{- '<|start_of_role|>system<|end_of_role|>' }}`],
    [
      'glm45',
      `[gMASK]<sop> {{- '\\n<think></think>' if (enable_thinking is defined and not enable_thinking) else '' -}}`,
    ],
    ['deepseek_r1', `{% set content = content.split('</think>')[-1] %}{{'<｜Assistant｜><think>\\n'}}`],
    ['deepseek_r1', `{% set content = content.split('</think>')[-1] %}{{'<｜Assistant｜>'}}`],
    ['think', `{{'<｜Assistant｜>'}}{%- if not thinking -%}{{'</think>'}}{%- else -%}{{'<think>'}}{%- endif -%}`],
    [
      'qwen3',
      `{{- '<|im_start|>assistant\\n' }}{%- if enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}`,
    ],
    ['think', `<|im_assistant|>assistant<|im_middle|><think>{{rc}}</think>`],
    ['think', `{{- ']~b]ai' ~ '\\n' ~ '<think>' ~ '\\n' }}`],
    [undefined, `{{'<｜Assistant｜>' + message['content'] + '<｜end▁of▁sentence｜>'}}`],
    [undefined, `<|start_of_role|>available_tools<|end_of_role|>`],
    [undefined, `{{- '<|im_start|>' + message.role + '\\n' }}`],
    [undefined, `[INST]{{ message['content'] }}[/INST]`],
  ])('%s fits a template with %s', (name, template) => {
    expect(fittingReasoningFormat(template)?.name).toBe(name);
  });
});
