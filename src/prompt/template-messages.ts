import { parseJson } from './jinja/json-parse.ts';
import type { TemplateTraits } from './jinja/traits.ts';
import { TemplateError } from './jinja/values.ts';

/** A part of a message's content, in OpenAI's shape. */
interface ContentPart {
  readonly type: string;
  readonly text?: string;
  readonly [field: string]: unknown;
}

/** A message as it came in, in OpenAI's shape; fields beyond these reach the template as they are. */
export interface TemplateMessage {
  readonly role: string;
  readonly content?: string | null | readonly ContentPart[];
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly unknown[];
  readonly [field: string]: unknown;
}

type PreparedMessage = Record<string, unknown>;

const reasoningFields = ['reasoning_content', 'thinking', 'reasoning'];
const mediaTypes: Record<string, string> = {
  image_url: 'image',
  video_url: 'video',
  audio_url: 'audio',
  input_audio: 'audio',
};

/** The messages the way this template expects them, with the choices that vLLM and transformers make. */
export function messagesFor(traits: TemplateTraits, messages: readonly TemplateMessage[]): PreparedMessage[] {
  return messages.map((message, index) => {
    const prepared: PreparedMessage = { ...message, role: roleFor(traits, message.role) };
    prepared['content'] = contentFor(traits, message.content, index);
    if (message.tool_calls === null) delete prepared['tool_calls'];
    else if (message.tool_calls) prepared['tool_calls'] = message.tool_calls.map((call) => callFor(traits, call));
    const reasoning = reasoningFields
      .map((field) => message[field])
      .find((value) => value !== undefined && value !== null);
    if (reasoning === undefined) return prepared;
    return { thinking: reasoning, ...prepared, reasoning_content: reasoning };
  });
}

/** A template without the role developer gets its messages as system messages. */
function roleFor(traits: TemplateTraits, role: string): string {
  return role === 'developer' && !traits.literals.includes('developer') ? 'system' : role;
}

function contentFor(traits: TemplateTraits, content: TemplateMessage['content'], index: number): unknown {
  if (content === undefined || content === null) return traits.knowsNoContent ? null : '';
  if (typeof content === 'string') return traits.wantsParts ? [{ type: 'text', text: content }] : content;
  if (traits.takesParts) return content.map(partFor);
  return content.map((part) => textOfPart(part, index)).join('\n');
}

// Templates test for `type == 'image'` or for a field `image_url`: this part passes both tests.
function partFor(part: ContentPart): ContentPart {
  const media = mediaTypes[part.type];
  if (media !== undefined) return { ...part, type: media };
  return part.type === 'refusal' ? { type: 'text', text: String(part['refusal']) } : part;
}

function textOfPart(part: ContentPart, index: number): string {
  if (typeof part.text === 'string') return part.text;
  if (part.type === 'refusal' && typeof part['refusal'] === 'string') return part['refusal'];
  throw new TemplateError(
    `The chat template of this model accepts only text; messages[${index}] has a part of type '${part.type}'.`,
    'raised',
  );
}

function callFor(traits: TemplateTraits, call: unknown): unknown {
  if (traits.argumentsAsText || typeof call !== 'object' || call === null) return call;
  const { function: callee } = call as { function?: { arguments?: unknown } };
  if (typeof callee?.arguments !== 'string') return call;
  // A call without arguments is sent as an empty text by some clients.
  const parsed = callee.arguments.trim() === '' ? new Map() : parseJson(callee.arguments);
  return { ...call, function: { ...callee, arguments: parsed ?? callee.arguments } };
}
