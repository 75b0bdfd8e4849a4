import { expect, it } from 'vitest';
import { ApiError } from '../../errors.ts';
import { renameError, renameIgnored } from './rename-error.ts';
import type { Origin } from './to-chat.ts';

const origin: Origin = {
  paths: [
    { path: 'systemInstruction', parts: ['systemInstruction.parts[0]'] },
    { path: 'contents[0]', parts: ['contents[0].parts[0]', 'contents[1].parts[0]'] },
  ],
  tools: [
    { path: 'tools[1].functionDeclarations[0]', parameters: 'parameters' },
    { path: 'tools[1].functionDeclarations[1]', parameters: 'parametersJsonSchema' },
  ],
  formatField: 'generationConfig.responseSchema',
};

it.each([
  ['messages', 'contents'],
  ['messages[1].content[1].image_url.url', 'contents[1].parts[0]'],
  ['messages[1].content[0].text', 'contents[0].parts[0].text'],
  ['messages[0].content', 'systemInstruction'],
  ['messages[7]', 'contents'],
  ['tools[0].function.name', 'tools[1].functionDeclarations[0].name'],
  ['tools[1].function.parameters.properties.a', 'tools[1].functionDeclarations[1].parametersJsonSchema.properties.a'],
  ['tool_choice', 'toolConfig.functionCallingConfig'],
  ['response_format.json_schema.schema.properties.a.type', 'generationConfig.responseSchema.properties.a.type'],
  ['structured_outputs.choice', 'generationConfig.responseSchema'],
  ['response_format', 'generationConfig.responseSchema'],
  ['max_tokens', 'generationConfig.maxOutputTokens'],
  ['n', 'generationConfig.candidateCount'],
  ['top_logprobs', 'generationConfig.logprobs'],
  ['model', 'model'],
])('an error at %s is one at %s', (param, expected) => {
  const { message, param: field } = renameError(new ApiError('invalid_request', `${param}: wrong.`, { param }), origin);
  expect([field, message]).toEqual([expected, `${expected}: wrong.`]);
});

it('the switch of thinking is ignored where the template reads none of its names', () => {
  const names = ['chat_template_kwargs.enable_thinking', 'chat_template_kwargs.thinking'];
  expect(renameIgnored([...names, 'chat_template_kwargs.reasoning_effort'], origin)).toEqual([
    'generationConfig.thinkingConfig',
    'generationConfig.thinkingConfig.thinkingLevel',
  ]);
  expect(renameIgnored(names.slice(1), origin)).toEqual([]);
});
