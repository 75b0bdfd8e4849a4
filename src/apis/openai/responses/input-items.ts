import { z } from 'zod';
import { withAcceptedValues } from '../../../requests/accepted-values.ts';
import { mostMessages } from '../../../requests/chat-request.ts';
import { list, unsupportedField } from '../../../requests/fields.ts';
import { type IgnoredPart, withIgnoredParts } from '../../../requests/ignored-fields.ts';
import { unpackReasoning } from '../../../requests/packed-reasoning.ts';
import { schemaChoice } from '../../../requests/schema-choice.ts';
import { type HostedItem, hostedItem, isHosted, readHosted } from './hosted-items.ts';
import { ignoredPartsOf, toolList } from './tool-fields.ts';

const unsupported = { code: 'unsupported_parameter' };

/** Rejects an unsupported `type`, which OpenAI may support, by its name before the other fields are checked. */
function offered<Item>(types: readonly string[], what: string, schema: z.ZodType<Item>): z.ZodType<Item> {
  const check = (value: unknown, context: z.RefinementCtx): unknown => {
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
    if (typeof type !== 'string' || types.includes(type)) return value;
    const message = `${what} of type ${JSON.stringify(type)} are not supported; send ${types.join(', ')}`;
    context.addIssue({ code: 'custom', message, params: unsupported });
    return z.NEVER;
  };
  return z.preprocess(check, schema);
}

const image = z
  .looseObject({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    detail: z.enum(['auto', 'low', 'high', 'original'], 'must be auto, low, high or original').nullish(),
    file_id: unsupportedField('files are not stored; send image_url instead'),
  })
  .superRefine(({ image_url: url }, context) => {
    if (typeof url !== 'string')
      context.addIssue({ code: 'custom', path: ['image_url'], message: 'is required in a content part of this type' });
  });

const inputText = z.looseObject({ type: z.literal('input_text'), text: z.string() });

const partTypes = ['input_text', 'input_image', 'output_text', 'refusal'];
const part = offered(
  partTypes,
  'content parts',
  z.discriminatedUnion(
    'type',
    [
      inputText,
      image,
      z.looseObject({ type: z.literal('output_text'), text: z.string() }),
      z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
    ],
    { error: `type must be one of ${partTypes.join(', ')}` },
  ),
);

const outputPart = offered(
  ['input_text', 'input_image'],
  'content parts',
  z.discriminatedUnion('type', [inputText, image], { error: 'type must be one of input_text, input_image' }),
);

const text = (error: string) => ({ error: `must be a string or an array of ${error}` });
const id = z.string().min(1).nullish();
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish();
const callId = z.string().min(1);
const output = z.union([z.string(), list(outputPart, { least: 1, most: mostMessages })], text('content parts'));

const itemTypes = [
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'additional_tools',
  'tool_search_output',
  'item_reference',
];
const item = z.discriminatedUnion(
  'type',
  [
    z.looseObject({
      type: z.literal('message'),
      role: z.enum(['system', 'developer', 'user', 'assistant'], 'must be system, developer, user or assistant'),
      content: z.union([z.string(), list(part, { least: 1, most: mostMessages })], text('content parts')),
      id,
      status,
    }),
    z.looseObject({
      type: z.literal('reasoning'),
      id,
      summary: list(z.looseObject({ type: z.literal('summary_text'), text: z.string() }), {
        most: mostMessages,
      }).nullish(),
      content: list(z.looseObject({ type: z.literal('reasoning_text'), text: z.string() }), {
        most: mostMessages,
      }).nullish(),
      encrypted_content: z.string().nullish(),
      status,
    }),
    z.looseObject({
      type: z.literal('function_call'),
      id,
      call_id: callId,
      name: z.string().min(1),
      namespace: z.string().nullish(),
      arguments: z.string(),
      status,
    }),
    z.looseObject({
      type: z.literal('function_call_output'),
      id,
      call_id: callId,
      output,
      status,
    }),
    z.looseObject({
      type: z.literal('custom_tool_call'),
      id,
      call_id: callId,
      name: z.string().min(1),
      namespace: z.string().nullish(),
      input: z.string(),
      status,
    }),
    z.looseObject({ type: z.literal('custom_tool_call_output'), id, call_id: callId, output, status }),
    z.looseObject({ type: z.literal('additional_tools'), id, tools: toolList }),
    z.looseObject({ type: z.literal('tool_search_output'), id, tools: toolList }),
    z.looseObject({ type: z.literal('item_reference'), id: z.string().min(1) }),
  ],
  { error: `type must be one of ${itemTypes.join(', ')}` },
);

/** Adds the type of an item that is left out, where its other fields determine it. */
function withType(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ('type' in value && value.type)) return value;
  if ('role' in value) return { ...value, type: 'message' };
  return 'id' in value ? { ...value, type: 'item_reference' } : value;
}

const ownItem = offered(itemTypes, 'items', item);

/** An item of one of our types, or of a tool that another server ran. */
const anyItem = withAcceptedValues(
  { kind: 'any', of: [ownItem, hostedItem] },
  schemaChoice((value): z.ZodType<RequestItem> => (isHosted(value ?? {}) ? hostedItem : ownItem)),
);

/** The items of a request's input. */
const inputItems = list(z.preprocess(withType, anyItem), { most: mostMessages });

/** The input of a request: a text or items. */
export const input = withIgnoredParts(
  z.union([z.string(), inputItems], { error: 'must be a string or an array of items' }),
  (value) =>
    (Array.isArray(value) ? value : []).flatMap((item: unknown, at) =>
      ignoredIn((item ?? {}) as Fields).map(({ path, reason }) => ({ path: `[${at}]${path}`, reason })),
    ),
);

type Fields = Readonly<Record<string, unknown>>;

/** The parts of an item that have no effect. */
function ignoredIn(item: Fields): readonly IgnoredPart[] {
  if (isHosted(item)) return readHosted(item).ignored;
  if (item['type'] === 'reasoning') return foreignReasoning(item);
  return toolsOf(item).flatMap((tool, index) =>
    ignoredPartsOf(tool).map(({ path, reason }) => ({ path: `.tools[${index}]${path}`, reason })),
  );
}

/** The reasoning that another server encrypted. */
function foreignReasoning({ content, encrypted_content: packed }: Fields): readonly IgnoredPart[] {
  const isUsed = !(Array.isArray(content) && content.length > 0) && typeof packed === 'string' && packed !== '';
  if (!isUsed || unpackReasoning(packed) !== undefined) return [];
  return [{ path: '.encrypted_content', reason: 'was created by another server, and only that server can read it' }];
}

/** The tools that an item adds. */
export function toolsOf({ type, tools }: Fields): readonly unknown[] {
  return (type === 'additional_tools' || type === 'tool_search_output') && Array.isArray(tools) ? tools : [];
}

export type ContentPart = z.output<typeof part>;
/** An item as a request may send it. */
export type RequestItem = z.output<typeof item> | HostedItem;
/** An item with content: references are replaced by the items that they refer to. */
export type InputItem = Exclude<RequestItem, { type: 'item_reference' }>;
/** An item that becomes a part of the chat. */
export type PlainItem = Exclude<InputItem, HostedItem>;
