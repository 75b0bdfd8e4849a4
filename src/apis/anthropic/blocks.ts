import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { list } from '../../requests/fields.ts';

/** Maximum number of messages of a conversation, and of content blocks of a message. */
export const mostBlocks = 100_000;

/** Accepts objects whose `type` is one of `types`. The error for another one names it. */
export function ofTypes(types: readonly string[], refusal: (type: string) => string) {
  return z.unknown().superRefine((value, context) => {
    const type = isJsonObject(value) ? value['type'] : undefined;
    if (typeof type !== 'string' || types.includes(type)) return;
    context.addIssue({ code: 'custom', message: refusal(type), params: { code: 'unsupported_parameter' } });
  });
}

const text = z.object({ type: z.literal('text'), text: z.string() });

const imageSource = ofTypes(
  ['base64', 'url'],
  (type) => `image sources of type ${JSON.stringify(type)} are not supported; send base64 or url`,
).pipe(
  z.discriminatedUnion(
    'type',
    [
      z.object({
        type: z.literal('base64'),
        media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp'], {
          error: 'must be image/jpeg, image/png, image/gif or image/webp',
        }),
        data: z.string().min(1),
      }),
      z.object({ type: z.literal('url'), url: z.string().min(1) }),
    ],
    { error: 'type must be base64 or url' },
  ),
);

const image = z.object({ type: z.literal('image'), source: imageSource });

const notOffered = (type: string): string =>
  `content blocks of type ${JSON.stringify(type)} are not supported here; send text or image blocks`;

/** The name of a tool whose definition the model gets at this point. */
const toolReference = z.object({ type: z.literal('tool_reference'), tool_name: z.string().min(1) });

const toolResultTypes = ['text', 'image', 'tool_reference'];

const toolResultBlock = ofTypes(toolResultTypes, notOffered).pipe(
  z.discriminatedUnion('type', [text, image, toolReference], {
    error: `type must be one of ${toolResultTypes.join(', ')}`,
  }),
);

/** A list of content blocks, or a string instead. */
const textOr = <Block>(block: z.ZodType<Block>) =>
  z.union([z.string(), list(block, { most: mostBlocks })], { error: 'must be a string or an array of content blocks' });

const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1),
  content: textOr(toolResultBlock).nullish(),
  is_error: z.boolean().nullish(),
});

const thinking = z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() });
const redactedThinking = z.object({ type: z.literal('redacted_thinking'), data: z.string() });

const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string().min(1),
  name: z.string().min(1),
  input: z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be an object'),
});

const userTypes = ['text', 'image', 'tool_result'];
const assistantTypes = ['text', 'thinking', 'redacted_thinking', 'tool_use'];

const userBlock = ofTypes(userTypes, (type) =>
  assistantTypes.includes(type)
    ? `content blocks of type ${type} are only supported in assistant messages`
    : notOffered(type),
).pipe(
  z.discriminatedUnion('type', [text, image, toolResult], { error: `type must be one of ${userTypes.join(', ')}` }),
);

const assistantBlock = ofTypes(assistantTypes, (type) =>
  userTypes.includes(type) ? `content blocks of type ${type} are only supported in user messages` : notOffered(type),
).pipe(
  z.discriminatedUnion('type', [text, thinking, redactedThinking, toolUse], {
    error: `type must be one of ${assistantTypes.join(', ')}`,
  }),
);

const systemBlock = ofTypes(
  ['text'],
  (type) => `content blocks of type ${JSON.stringify(type)} are not supported in system prompts; send text blocks`,
).pipe(text);

/** The content of a system prompt. */
export const systemContent = textOr(systemBlock);

/** One message of a conversation. Each role has its own block types. */
export const message = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.literal('user'), content: textOr(userBlock) }),
    z.object({ role: z.literal('assistant'), content: textOr(assistantBlock) }),
    z.object({ role: z.literal('system'), content: systemContent }),
  ],
  { error: 'role must be user, assistant or system' },
);

export type MessageParam = z.output<typeof message>;
export type TextBlock = z.output<typeof text>;
export type ImageBlock = z.output<typeof image>;
/** A block that reaches the model unchanged: text or an image. */
export type ResultBlock = TextBlock | ImageBlock;
export type ToolReferenceBlock = z.output<typeof toolReference>;
export type ToolResultBlock = z.output<typeof toolResult>;
/** A block of any role. */
export type Block = z.output<typeof userBlock> | z.output<typeof assistantBlock>;
