import type { ChatMessage } from '../openai/chat-request.ts';
import type { CheckedForm } from './structured-reader.ts';

/** What a model is told of the form that its answer must have, where its backend cannot make it so. */
function instruction(form: CheckedForm): string {
  if ('choice' in form) return `Answer with exactly one of these, and nothing else: ${JSON.stringify(form.choice)}`;
  if ('regex' in form)
    return `Answer with a text that matches this regular expression, and nothing else: ${form.regex}`;
  if ('json_object' in form)
    return 'Answer with one JSON object, and nothing else: no text around it and no code fence.';
  return (
    'Answer with JSON that is valid by this JSON schema, and nothing else: no text around it and no code fence.\n' +
    JSON.stringify(form.json)
  );
}

/** The conversation with the instruction in its system message, or in a new one. */
export function instructed(messages: readonly ChatMessage[], form: CheckedForm): ChatMessage[] {
  const [first, ...others] = messages;
  if (first?.role === 'system' || first?.role === 'developer') return [withText(first, instruction(form)), ...others];
  return [{ role: 'system', content: instruction(form) }, ...messages];
}

/** The same for templates without a system message: the instruction is in the last message of the user. */
export function instructedByUser(messages: readonly ChatMessage[], form: CheckedForm): ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, at) => (at === last ? withText(message, instruction(form)) : message));
}

function withText(message: ChatMessage, text: string): ChatMessage {
  const { content } = message;
  if (Array.isArray(content)) return { ...message, content: [...content, { type: 'text', text }] };
  return { ...message, content: `${content ?? ''}\n\n${text}` };
}

/** The longest answer that is shown to the model again. */
const longestShown = 16_384;

/** The conversation that asks for a better answer than the last one, which is part of it. */
export function corrected(messages: readonly ChatMessage[], answer: string, fault: string): ChatMessage[] {
  if (answer === '' || answer.length > longestShown) return [...messages];
  const complaint = `That answer does not have the form that was asked for: ${fault}. Answer again, in that form alone.`;
  return [...messages, { role: 'assistant', content: answer }, { role: 'user', content: complaint }];
}
