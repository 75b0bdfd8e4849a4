import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { list } from '../../requests/fields.ts';

/** Maximum number of contents of a conversation, and of parts of a content. */
export const mostParts = 100_000;

const imageTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const imageTypeError = 'must be image/jpeg, image/png, image/gif or image/webp; other media are not supported';
const mediaType = z.string().refine((type) => imageTypes.has(type), {
  message: imageTypeError,
  params: { code: 'unsupported_parameter' },
});

const inlineData = z.object({ mimeType: mediaType, data: z.string().min(1), displayName: z.string().optional() });
const fileData = z.object({ mimeType: mediaType.optional(), fileUri: z.string().min(1) });
const object = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be an object');

const functionCall = z.object({ id: z.string().optional(), name: z.string().min(1), args: object.optional() });

/** Media in the result of a function. */
const resultPart = z.object({ inlineData: inlineData.optional(), fileData: fileData.optional() });

const functionResponse = z.object({
  id: z.string().optional(),
  name: z.string().min(1),
  response: object.optional(),
  parts: list(resultPart, { most: mostParts }).optional(),
});

const dataFields = { text: z.string(), inlineData, fileData, functionCall, functionResponse };
const dataNames = Object.keys(dataFields);
const hints: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'mediaResolution',
  'videoMetadata',
  'partMetadata',
]);

/** A part of a content. It has one of the data fields. */
const part = z
  .looseObject({
    text: dataFields.text.optional(),
    inlineData: inlineData.optional(),
    fileData: fileData.optional(),
    functionCall: functionCall.optional(),
    functionResponse: functionResponse.optional(),
    thought: z.boolean().optional(),
    thoughtSignature: z.string().optional(),
  })
  .superRefine((value, context) => {
    const found = dataNames.filter((name) => value[name] !== undefined);
    if (found.length === 1) return;
    const other = Object.keys(value).find((name) => !dataNames.includes(name) && !hints.has(name));
    const expected = `send one of ${dataNames.join(', ')}`;
    if (found.length > 1) context.addIssue({ code: 'custom', message: `has ${found.join(' and ')}; ${expected}` });
    else if (other === undefined) context.addIssue({ code: 'custom', message: `is empty; ${expected}` });
    else {
      const message = `parts with ${JSON.stringify(other.slice(0, 64))} are not supported; ${expected}`;
      context.addIssue({ code: 'custom', message, params: { code: 'unsupported_parameter' } });
    }
  });

/** The parts of a system instruction or of a text to embed. */
const textPart = part.refine(({ text }) => text !== undefined, {
  message: 'only text is supported here',
  params: { code: 'unsupported_parameter' },
});

/**
 * One turn of a conversation. `function` is an older name of the role of function results. Clients may send an empty
 * turn of the model back without parts.
 */
export const content = z
  .object({
    role: z.enum(['user', 'model', 'function'], { error: 'must be user or model' }).optional(),
    parts: list(part, { most: mostParts }).optional(),
  })
  .refine(({ role, parts }) => parts !== undefined || role === 'model', { message: 'is required', path: ['parts'] });

/** A content of texts. Its role has no meaning. */
export const textContent = z.object({ role: z.string().optional(), parts: list(textPart, { most: mostParts }) });

export type Content = z.output<typeof content>;
export type Part = z.output<typeof part>;
export type TextContent = z.output<typeof textContent>;
export type FunctionResponse = z.output<typeof functionResponse>;
/** Fields of a part with an image. */
export type Media = z.output<typeof resultPart>;
