import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { mostMessages } from '../../requests/chat-request.ts';
import { list } from '../../requests/fields.ts';

/** The most images of one message, whatever the settings say. */
const mostImages = 1_024;

/** Images as Ollama takes them: the base64 of their files. */
export const images = list(z.string().min(1), { most: mostImages });

const call = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({
    name: z.string().min(1),
    arguments: z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be an object, not its text').nullish(),
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

/** The fields of a message that nobody knows. */
export function unknownFields(given: Message): string[] {
  return Object.keys(given).filter((name) => !Object.hasOwn(fields, name));
}
