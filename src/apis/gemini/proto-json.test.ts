import { describe, expect, it } from 'vitest';
import { oneSpelling } from './proto-json.ts';

describe('oneSpelling', () => {
  it('renames fields in snake_case, but no keys of the client', () => {
    const body = {
      system_instruction: { parts: [{ text: 'a_b' }] },
      contents: [{ parts: [{ function_call: { name: 'f_g', args: { some_key: { inner_key: 1 } } } }] }],
      tools: [{ function_declarations: [{ name: 'f_g', parameters: { properties: { some_key: {} } } }] }],
      generation_config: { response_schema: { any_of: [] }, thinking_config: { include_thoughts: true } },
    };
    expect(oneSpelling(body)).toEqual({
      systemInstruction: { parts: [{ text: 'a_b' }] },
      contents: [{ parts: [{ functionCall: { name: 'f_g', args: { some_key: { inner_key: 1 } } } }] }],
      tools: [{ functionDeclarations: [{ name: 'f_g', parameters: { properties: { some_key: {} } } }] }],
      generationConfig: { responseSchema: { any_of: [] }, thinkingConfig: { includeThoughts: true } },
    });
  });

  it('takes a single value for a list, and null for nothing', () => {
    expect(oneSpelling({ contents: { parts: { text: 'a' } }, tools: null, stop_sequences: 'b' })).toEqual({
      contents: [{ parts: [{ text: 'a' }] }],
      stopSequences: ['b'],
    });
  });

  it('rejects a field in two spellings, by its path', () => {
    const body = { contents: [{ parts: [{ inlineData: {}, inline_data: {} }] }] };
    expect(() => oneSpelling(body)).toThrow(
      'contents[0].parts[0].inlineData: sent twice, in camelCase and in snake_case. Send it once.',
    );
  });

  it.each([[[1, 'a', null]], ['text'], [7], [null]])('leaves other values as they are: %j', (value) => {
    expect(oneSpelling(value)).toEqual(value);
  });
});
