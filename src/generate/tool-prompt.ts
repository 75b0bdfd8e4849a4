import type { ServedModel } from '../models/served-model.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { ChatMessage } from '../requests/chat-request.ts';
import type { ToolUse } from '../requests/tools.ts';

/** The setting for the text below. */
const builtIn = 'default';

/** Describes tools to a model whose chat template does not. Calls have the format of the parser hermes. */
const defaultText = `You can call functions. Each line is the JSON description of one function:
{tools}

To call a function, write its name and its arguments as a JSON object between <tool_call> and </tool_call>, like this:
<tool_call>
{"name": "FUNCTION", "arguments": {"PARAMETER": "VALUE"}}
</tool_call>
To call several functions, write one block for each. You get each result between <tool_response> and </tool_response>.
If you need no function, answer as usual.`;

/** Whether tools are described in the system message, because the model's chat template does not support them. */
export function usesToolPrompt({ toolPrompt }: Pick<ServedModel, 'toolPrompt'>, template: ChatTemplate): boolean {
  return toolPrompt !== undefined && !template.mentions('tools');
}

/** The text that describes the tools of a request. */
export function toolPromptText(setting: string, { described }: ToolUse): string {
  const lines = described.map((tool) => JSON.stringify(tool.function)).join('\n');
  return (setting === builtIn ? defaultText : setting).replaceAll('{tools}', () => lines);
}

/** A message as text, for a template that knows neither tool calls nor their results. */
export function withoutCalls(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { role: 'user', content: resultText(message.content) };
  if (message.role !== 'assistant' || !message.tool_calls?.length) return message;
  const { tool_calls: calls, content, ...rest } = message;
  const blocks = calls.map(
    ({ function: { name, arguments: json } }) =>
      `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json.trim() || '{}'}}\n</tool_call>`,
  );
  const texts = typeof content === 'string' ? [content] : (content ?? []).map((part) => part.text ?? '');
  return { ...rest, content: [...texts, ...blocks].filter((text) => text !== '').join('\n') };
}

function resultText(content: Extract<ChatMessage, { role: 'tool' }>['content']) {
  if (typeof content === 'string') return `<tool_response>\n${content}\n</tool_response>`;
  const [open, close] = ['<tool_response>', '</tool_response>'].map((text) => ({ type: 'text', text }));
  return [open, ...content, close].filter((part) => part !== undefined);
}
