import { describe, expect, it } from 'vitest';
import type { RequestedStructure } from '../requests/structure.ts';
import { errorContext } from './error-context.ts';
import type { GenerationPlan } from './plan.ts';

const { signal } = new AbortController();
const model = { contract: { explain: () => undefined } } as unknown as GenerationPlan['model'];

const guideOf = (structure: RequestedStructure | undefined) =>
  errorContext({ plan: { model, promptField: 'messages' }, signal }, { structure }).fields['guide'];
const parameters = (at: number) => `tools[${at}].function.parameters`;

describe('the field of a guide that a backend refuses', () => {
  it.each<[RequestedStructure, string]>([
    [{ structure: { regex: 'a' }, field: 'guided_regex' }, 'guided_regex'],
    [{ structure: { choice: ['a'] }, field: 'guided_choice' }, 'guided_choice'],
    [{ structure: { grammar: 'a' }, field: 'guided_grammar' }, 'guided_grammar'],
    [{ structure: { json: {} }, field: 'guided_json' }, 'guided_json'],
    [{ structure: { json: {} }, field: 'response_format' }, 'response_format.json_schema.schema'],
    [{ structure: { json_object: true }, field: 'response_format' }, 'response_format'],
    [{ structure: { regex: 'a' }, field: 'structured_outputs' }, 'structured_outputs.regex'],
    [{ structure: { json: {} }, field: 'structured_outputs' }, 'structured_outputs.json'],
    [{ structure: { json: {} }, field: 'tool_choice', paths: { '': parameters(2) } }, parameters(2)],
    [
      {
        structure: { json: {} },
        field: 'tool_choice',
        paths: {
          '.items.anyOf[0].properties.parameters': parameters(1),
          '.$defs.tool0_x': `${parameters(1)}.$defs.x`,
        },
      },
      parameters(1),
    ],
    [{ structure: { json: {} }, field: 'tool_choice', paths: { '.a': parameters(0), '.b': parameters(1) } }, 'tools'],
  ])('%j', (expected, field) => {
    expect(guideOf(expected)).toBe(field);
  });

  it('is that of structured outputs if the request names none', () => {
    expect(guideOf(undefined)).toBe('structured_outputs');
  });
});
