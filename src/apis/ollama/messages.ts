import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { mostMessages } from '../../requests/chat-request.ts';
import { list } from '../../requests/fields.ts';

/** Maximum of images in one message, independent of settings. */
const mostImages = 1_024;

/** Images in Ollama's format: base64 of their files. */
export const images = list(z.string().min(1), { most: mostImages });

const call = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({
    name: z.string().min(1),
    arguments: z
      .custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be a JSON object, not a string')
      .nullish(),
  }),
});

const fields = {
  role: z.enum(['system', 'user', 'assistant', 'tool'], { error: 'must be system, user, assistant or tool' }),
  content: z.string().nullish(),
  images: images.nullish(),
  thinking: z.string().nullish(),
  tool_calls: list(call, { most: mostMessages }).nullish(),
  tool_name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
};

/** One message of a conversation. */
export const message = z.looseObject(fields);

export type Message = z.output<typeof message>;

/** The unknown fields of a message. */
export function unknownFields(value: Message): string[] {
  return Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
}
