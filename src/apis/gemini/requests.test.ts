import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../requests/fields.ts';
import { packThought } from '../../requests/packed-reasoning.ts';
import { oneSpelling } from './proto-json.ts';
import { BatchEmbedContentsRequest, GenerateContentRequest } from './requests.ts';
import { toChat } from './to-chat.ts';

const parsed = (body: object) => parseRequest(GenerateContentRequest, oneSpelling({ model: 'toy', ...body }));
const translate = (body: object) => toChat(parsed(body).request, false);
const user = (...parts: object[]) => ({ role: 'user', parts });
const byModel = (...parts: object[]) => ({ role: 'model', parts });
const contents = [user({ text: 'Hi' })];

describe('what has no effect', () => {
  const ignoredIn = (body: object) => {
    const { ignoredFields, strictError } = parsed(body);
    return [ignoredFields, strictError?.code, strictError?.message];
  };
  const foreign = 'was created by another server, and only that server can read it.';

  it.each([
    [
      'hints',
      {
        contents,
        tools: [{ googleSearch: {} }, { codeExecution: {}, urlContext: {} }],
        safetySettings: [{}],
        labels: { a: 'b' },
        generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
      },
      [
        'tools[0].googleSearch',
        'tools[1].codeExecution',
        'tools[1].urlContext',
        'generationConfig.mediaResolution',
        'safetySettings',
        'labels',
      ],
      'unsupported_parameter',
      'tools[0].googleSearch: Conch does not run Google Search; the model does not get this tool.',
    ],
    [
      'unknown fields of contents and parts',
      {
        contents: [
          {
            ...user({ text: 'Hi', newField: 1 }, { inlineData: { mimeType: 'image/png', data: 'AAAA', size: 1 } }),
            id: 'x',
          },
          byModel({ functionCall: { name: 'f', partialArgs: [] } }),
          user({
            functionResponse: { name: 'f', response: { unknown: 1 }, later: true, parts: [{ text: 'a' }] },
          }),
        ],
        systemInstruction: { parts: [{ text: 'Be brief.', more: 1 }], id: 'y' },
      },
      [
        'contents[0].id',
        'contents[0].parts[0].newField',
        'contents[0].parts[1].inlineData.size',
        'contents[1].parts[0].functionCall.partialArgs',
        'contents[2].parts[0].functionResponse.later',
        'contents[2].parts[0].functionResponse.parts[0].text',
        'systemInstruction.id',
        'systemInstruction.parts[0].more',
      ],
      'unknown_field',
      'contents[0].id: unknown field. Remove it.',
    ],
    [
      'hints of parts',
      {
        contents: [
          user({ text: 'Hi', videoMetadata: {}, media_resolution: { level: 'LOW' }, partMetadata: {} }),
          byModel({ functionCall: { name: 'f', willContinue: true } }),
          user({ functionResponse: { name: 'f', scheduling: 'SILENT', willContinue: false } }),
        ],
      },
      [
        'contents[1].parts[0].functionCall.willContinue',
        'contents[2].parts[0].functionResponse.scheduling',
        'contents[0].parts[0].mediaResolution',
        'contents[0].parts[0].videoMetadata',
        'contents[0].parts[0].partMetadata',
      ],
      'unsupported_parameter',
      'contents[1].parts[0].functionCall.willContinue: a call and its result are sent whole.',
    ],
    [
      'unknown fields of tools and settings',
      {
        contents,
        tools: [{ functionDeclarations: [{ name: 'f', strict: true, parameters: { more: 1 } }], newTool: {} }],
        toolConfig: { functionCallingConfig: { mode: 'AUTO', level: 1 }, more: {} },
        generationConfig: { thinkingConfig: { more: 1 }, more: 1 },
      },
      [
        'tools[0].newTool',
        'tools[0].functionDeclarations[0].strict',
        'toolConfig.more',
        'toolConfig.functionCallingConfig.level',
        'generationConfig.more',
        'generationConfig.thinkingConfig.more',
      ],
      'unknown_field',
      'tools[0].newTool: unknown field. Remove it.',
    ],
    [
      'signatures of other servers',
      {
        contents: [
          ...contents,
          byModel({ text: 'a', thoughtSignature: 'c2lnbmVk' }),
          byModel({ text: 'b', thoughtSignature: packThought('Hm.') }),
          byModel({ text: 'c', thoughtSignature: 'skip_thought_signature_validator' }),
          byModel({ text: 'd', thoughtSignature: '' }),
        ],
      },
      ['contents[1].parts[0].thoughtSignature'],
      'unsupported_parameter',
      `contents[1].parts[0].thoughtSignature: ${foreign}`,
    ],
    [
      'thoughts of the user',
      { contents: [user({ text: 'Hm.', thought: true }, { text: 'Hi' }), byModel({ text: 'a', thought: true })] },
      ['contents[0].parts[0]'],
      'unsupported_parameter',
      'contents[0].parts[0]: thoughts are only supported in contents with the role model.',
    ],
    [
      'a budget of reasoning',
      { contents, generationConfig: { thinkingConfig: { thinkingBudget: 512 } } },
      ['generationConfig.thinkingConfig.thinkingBudget'],
      'unsupported_parameter',
      'generationConfig.thinkingConfig.thinkingBudget: reasoning has no token limit; send 0 or -1.',
    ],
    [
      'logprobs without responseLogprobs',
      { contents, generationConfig: { logprobs: 2 } },
      ['generationConfig.logprobs'],
      'unsupported_parameter',
      'generationConfig.logprobs: needs responseLogprobs: true.',
    ],
  ])('is reported, and rejected with --strict-fields: %s', (_, body, ...expected) => {
    expect(ignoredIn(body)).toEqual(expected);
    expect(translate(body).ignored).toEqual([]);
  });

  it('is not reported where it is harmless', () => {
    const generationConfig = { thinkingConfig: { thinkingBudget: 0 }, responseLogprobs: true, logprobs: 2 };
    expect(ignoredIn({ contents, generationConfig })).toEqual([[], undefined, undefined]);
    const unlimited = { thinkingConfig: { thinkingBudget: -1 }, logprobs: 0 };
    expect(ignoredIn({ contents, generationConfig: unlimited })).toEqual([[], undefined, undefined]);
  });

  it('is reported in each content of a batch', () => {
    const content = { parts: [{ text: 'a', more: 1 }] };
    const requests = [{ content }, { content: { parts: [{ text: 'b' }] }, other: 1 }];
    expect(parseRequest(BatchEmbedContentsRequest, { model: 'toy', requests }).ignoredFields).toEqual([
      'requests[1].other',
      'requests[0].content.parts[0].more',
    ]);
  });
});
