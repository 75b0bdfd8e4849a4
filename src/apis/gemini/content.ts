import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { ignoredField, list } from '../../requests/fields.ts';
import { reportUnknown, withIgnoredParts } from '../../requests/ignored-fields.ts';
import { unpackReasoning } from '../../requests/packed-reasoning.ts';

/** Maximum number of contents of a conversation, and of parts of a content. */
export const mostParts = 100_000;

const imageTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const imageTypeError = 'must be image/jpeg, image/png, image/gif or image/webp; other media are not supported';
const mediaType = z.string().refine((type) => imageTypes.has(type), {
  message: imageTypeError,
  params: { code: 'unsupported_parameter' },
});

const inlineData = reportUnknown(
  z.object({ mimeType: mediaType, data: z.string().min(1), displayName: z.string().optional() }),
);
const fileData = reportUnknown(
  z.object({ mimeType: mediaType.optional(), fileUri: z.string().min(1), displayName: z.string().optional() }),
);
const object = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be an object');

const willContinue = ignoredField('a call and its result are sent whole', [false]);

const functionCall = reportUnknown(
  z.object({ id: z.string().optional(), name: z.string().min(1), args: object.optional(), willContinue }),
);

/** Media in the result of a function. */
const resultPart = reportUnknown(z.object({ inlineData: inlineData.optional(), fileData: fileData.optional() }));

const functionResponse = reportUnknown(
  z.object({
    id: z.string().optional(),
    name: z.string().min(1),
    response: object.optional(),
    parts: list(resultPart, { most: mostParts }).optional(),
    willContinue,
    scheduling: ignoredField('the model reads a result with the next request', ['SCHEDULING_UNSPECIFIED']),
  }),
);

/** The values that clients send where they have no signature. */
const noSignature: ReadonlySet<unknown> = new Set([
  '',
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
]);

const thoughtSignature = withIgnoredParts(z.string(), (value) =>
  typeof value !== 'string' || noSignature.has(value) || unpackReasoning(value) !== undefined
    ? []
    : [{ path: '', reason: 'was created by another server, and only that server can read it' }],
);

const dataFields = {
  text: z.string().optional(),
  inlineData: inlineData.optional(),
  fileData: fileData.optional(),
  functionCall: functionCall.optional(),
  functionResponse: functionResponse.optional(),
};

/** Fields beside the data of a part. */
const hintFields = {
  thought: z.boolean().optional(),
  thoughtSignature: thoughtSignature.optional(),
  mediaResolution: ignoredField('images are sent as they are'),
  videoMetadata: ignoredField('videos are not supported'),
  partMetadata: ignoredField('metadata has no effect'),
};

const dataNames = Object.keys(dataFields);

const checkedPart = z.looseObject({ ...dataFields, ...hintFields }).superRefine((value, context) => {
  const found = dataNames.filter((name) => value[name] !== undefined);
  if (found.length === 1) return;
  const other = Object.keys(value).find((name) => !dataNames.includes(name) && !Object.hasOwn(hintFields, name));
  const expected = `send one of ${dataNames.join(', ')}`;
  if (found.length > 1) context.addIssue({ code: 'custom', message: `has ${found.join(' and ')}; ${expected}` });
  else if (other === undefined) context.addIssue({ code: 'custom', message: `is empty; ${expected}` });
  else {
    const message = `parts with ${JSON.stringify(other.slice(0, 64))} are not supported; ${expected}`;
    context.addIssue({ code: 'custom', message, params: { code: 'unsupported_parameter' } });
  }
});

/** A part of a content. It has one of the data fields. */
const part = reportUnknown(checkedPart);

/** The parts of a system instruction or of a text to embed. */
const textPart = reportUnknown(
  checkedPart.refine(({ text }) => text !== undefined, {
    message: 'only text is supported here',
    params: { code: 'unsupported_parameter' },
  }),
);

const turn = z
  .object({
    role: z.enum(['user', 'model', 'function'], { error: 'must be user or model' }).optional(),
    parts: list(part, { most: mostParts }).optional(),
  })
  .refine(({ role, parts }) => parts !== undefined || role === 'model', { message: 'is required', path: ['parts'] });

/**
 * One turn of a conversation. `function` is an older name of the role of function results. Clients may send an empty
 * turn of the model back without parts.
 */
export const content = withIgnoredParts(reportUnknown(turn), (value) => {
  const { role, parts = [] } = value as Content;
  const reason = 'thoughts are only supported in contents with the role model';
  return parts.flatMap((each, at) => (isIgnored(each, role) ? [{ path: `.parts[${at}]`, reason }] : []));
});

/** Whether a part has no effect: it is a thought, and not of the model. */
export function isIgnored({ thought, functionResponse: result }: Part, role: Content['role']): boolean {
  return role !== 'model' && thought === true && result === undefined;
}

/** A content of texts. Its role has no meaning. */
export const textContent = reportUnknown(
  z.object({ role: z.string().optional(), parts: list(textPart, { most: mostParts }) }),
);

export type Content = z.output<typeof turn>;
export type Part = z.output<typeof checkedPart>;
export type TextContent = z.output<typeof textContent>;
export type FunctionResponse = z.output<typeof functionResponse>;
/** Fields of a part with an image. */
export type Media = z.output<typeof resultPart>;
