import type { ChatMessage } from '../requests/chat-request.ts';
import { wireCall } from '../requests/made-calls.ts';
import type { CheckableStructure } from './structure-reader.ts';
import type { Emulation, MismatchedResponse } from './structured-emulation.ts';

/** The instruction for a model whose backend cannot guide the response; undefined: the tools are enough. */
export function instructionOf({ structure, calls }: Emulation): string | undefined {
  if (structure)
    return calls ? `If you call no function: ${structureInstruction(structure)}` : structureInstruction(structure);
  if (!calls?.isRequired) return undefined;
  const names = [...calls.schemas.keys()];
  return names.length === 1 ? `Call the function ${names[0]}.` : `Call one of these functions: ${names.join(', ')}.`;
}

function structureInstruction(structure: CheckableStructure): string {
  if ('choice' in structure)
    return `Answer with exactly one of these, and nothing else: ${JSON.stringify(structure.choice)}`;
  if ('regex' in structure)
    return `Answer with a text that matches this regular expression, and nothing else: ${structure.regex}`;
  if ('json_object' in structure)
    return 'Answer with one JSON object, and nothing else: no text around it and no code fence.';
  return (
    'Answer with JSON that is valid by this JSON schema, and nothing else: no text around it and no code fence.\n' +
    JSON.stringify(structure.json)
  );
}

/** The instruction for a response that is guided to be either a list of calls or of a structure. */
export function choiceInstruction(structure: CheckableStructure): string {
  return (
    'To call functions, answer with a JSON list of the calls, and nothing else: ' +
    `[{"name": "FUNCTION", "parameters": {…}}]\nIf you call no function: ${structureInstruction(structure)}`
  );
}

/** The conversation with the instruction in its system message, or in a new one. */
export function instructed(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const [first, ...others] = messages;
  if (first?.role === 'system' || first?.role === 'developer') return [withText(first, text), ...others];
  return [{ role: 'system', content: text }, ...messages];
}

/** The same for templates without a system message: the instruction is in the last message of the user. */
export function instructedByUser(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, at) => (at === last ? withText(message, text) : message));
}

function withText(message: ChatMessage, text: string): ChatMessage {
  const { content } = message;
  if (Array.isArray(content)) return { ...message, content: [...content, { type: 'text', text }] };
  return { ...message, content: `${content ?? ''}\n\n${text}` };
}

/** Characters of the longest response that is repeated in the next prompt. */
const longestRepeated = 16_384;

/** The conversation that contains the last response and requests a corrected one. */
export function corrected(
  messages: readonly ChatMessage[],
  { text, calls, violation }: MismatchedResponse,
): ChatMessage[] {
  const length = calls.reduce((sum, call) => sum + call.arguments.length, text.length);
  if (length === 0 || length > longestRepeated) return [...messages];
  if (calls.length > 0)
    return [...messages, assistantCalls(text, calls), ...calls.map(({ id }) => notRun(id, violation))];
  const complaint = `That answer does not have the form that was asked for: ${violation}. Answer again, in that form alone.`;
  return [...messages, { role: 'assistant', content: text }, { role: 'user', content: complaint }];
}

function assistantCalls(text: string, calls: MismatchedResponse['calls']): ChatMessage {
  return {
    role: 'assistant',
    ...(text === '' ? {} : { content: text }),
    tool_calls: calls.map(wireCall),
  };
}

/** The tool result for a call that does not match its schema. */
function notRun(id: string, violation: string): ChatMessage {
  return { role: 'tool', tool_call_id: id, content: `Not run: ${violation}. Call again.` };
}
