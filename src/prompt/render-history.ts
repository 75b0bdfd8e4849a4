import { Liquid, type Template } from 'liquidjs';
import { messageOf } from '../thrown.ts';
import { TemplateError } from './jinja/values.ts';
import type { TemplateMessage } from './template-messages.ts';

/** The template of openai_trtllm: one line for each item, then the assistant's turn. */
export const defaultHistoryTemplate =
  '{% for item in items %}{{ item.identity }}{% if item.name %} {{ item.name }}{% endif %}: {{ item.content }}\n{% endfor %}Assistant:';

const identities: Record<string, string> = {
  system: 'System',
  developer: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
  function: 'Tool',
};

const mostMemory = 1e8;

/** Renders a Liquid template over a conversation. It reads no file, and ends after `time` milliseconds. */
export function renderHistory(source: string, messages: readonly TemplateMessage[], time: number): string {
  // Partials come from this empty set instead of the file system.
  const liquid = new Liquid({ templates: {}, ownPropertyOnly: true, renderLimit: time, memoryLimit: mostMemory });
  const items = messages.map((message, index) => ({
    identity: identities[message.role] ?? message.role,
    content: textOf(message, index),
    name: message.name ?? null,
  }));
  const parsed = parseHistory(source, liquid);
  try {
    return String(liquid.renderSync(parsed, { items }));
  } catch (error) {
    const reason = messageOf(error);
    const limit = /limit exceeded/.test(reason);
    throw new TemplateError(
      limit ? 'The history template takes too long for this conversation.' : `The history template failed: ${reason}`,
      limit ? 'limit' : 'invalid',
    );
  }
}

/** Parses a Liquid template, so that a mistake in it shows at the start. */
export function parseHistory(source: string, liquid = new Liquid({ templates: {} })): Template[] {
  try {
    return liquid.parse(source);
  } catch (error) {
    throw new TemplateError(`The history template is not valid Liquid: ${messageOf(error)}`);
  }
}

function textOf(message: TemplateMessage, index: number): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  const parts = (content ?? []).map((part) => part.text ?? part['refusal']);
  if (parts.every((text) => typeof text === 'string')) return parts.join('\n');
  throw new TemplateError(
    `The history template accepts only text; messages[${index}] has a part that is not text.`,
    'raised',
  );
}
