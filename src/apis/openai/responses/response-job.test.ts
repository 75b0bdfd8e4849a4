import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../../../test/support/scripted-model.ts';
import { parseRequest } from '../../../requests/fields.ts';
import { conversationOf, storedInput } from './conversation.ts';
import { newResponseId } from './item-ids.ts';
import { expectedIgnored, startResponse } from './response-job.ts';
import { ResponsesRequest } from './responses-request.ts';
import { toolsetOf } from './toolset.ts';

function jobOf(body: object) {
  const { request } = parseRequest(ResponsesRequest, { model: 'm', input: 'Hi', ...body });
  const items = conversationOf(request, { earlier: [], own: storedInput(request, { id: newResponseId() }) });
  return { request, items, tools: toolsetOf(request, items) };
}

describe('the fields that a response will ignore', () => {
  const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } };
  const tools = [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f', parameters: pattern }] }];
  const ignoring = { tools, reasoning: { effort: 'low' }, text: { verbosity: 'low' } };
  const fields = ['tools[0].tools[0].parameters.properties.a.pattern', 'reasoning.effort', 'text.verbosity'];

  it.each([true, false])('are those that it then ignores (template loaded: %s)', async (isLoaded) => {
    const scripted = scriptedModel([{ tokens: ['Yes'] }], { isLoaded, toolCallParser: 'hermes' });
    const job = jobOf(ignoring);
    expect(await expectedIgnored(job, scripted.context())).toEqual(fields);
    expect(scripted.sent).toEqual([]);
    const { response } = await startResponse(job, scripted.context(), new AbortController().signal);
    expect(response.ignored).toEqual(fields);
  });

  it.each([
    ['a plan that is refused', { ...ignoring, min_tokens: 9, max_output_tokens: 1 }, {}],
    ['a tool that does not exist', { ...ignoring, tool_choice: { type: 'function', name: 'g' } }, {}],
    ['strict fields', ignoring, { strictFields: true }],
  ])('are none with %s', async (_, body, settings) => {
    const scripted = scriptedModel([{ tokens: ['Yes'] }], { toolCallParser: 'hermes' });
    expect(await expectedIgnored(jobOf(body), scripted.context(settings))).toEqual([]);
  });
});
