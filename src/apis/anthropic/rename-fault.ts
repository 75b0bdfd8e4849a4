import { renaming, thinkingVariables } from '../../requests/renaming.ts';
import type { Origin } from './to-chat.ts';

function renameField(param: string, { places, formatField }: Origin): string {
  const [, index, rest = ''] = /^messages\[(\d+)](.*)$/.exec(param) ?? [];
  if (index !== undefined) return renameInMessage(rest, places[Number(index)]);
  const [, tool, inTool = ''] = /^(tools\[\d+])(.*)$/.exec(param) ?? [];
  if (tool !== undefined) return tool + inTool.replace(/^\.function/, '').replace(/^\.parameters/, '.input_schema');
  if (/^response_format\b/.test(param))
    return formatField + param.slice('response_format'.length).replace(/^\.json_schema/, '');
  if (thinkingVariables.includes(param)) return 'thinking';
  return otherNames[param] ?? param;
}

const otherNames: Readonly<Record<string, string>> = {
  stop: 'stop_sequences',
  user: 'metadata.user_id',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  continue_final_message: 'messages',
  max_completion_tokens: 'max_tokens',
  include_reasoning: 'thinking.display',
  reasoning_effort: 'output_config.effort',
  'chat_template_kwargs.reasoning_effort': 'output_config.effort',
};

/** Renames a field within a chat message. A field that the request does not have is named by its parent. */
function renameInMessage(rest: string, origin: Origin['places'][number] | undefined): string {
  if (!origin) return 'messages';
  if (rest === '.tool_call_id') return `${origin.place}.tool_use_id`;
  const [, part, within = ''] = /^\.content\[(\d+)](.*)$/.exec(rest) ?? [];
  const isContent = rest === '.content' && origin.place !== 'system';
  if (part === undefined) return isContent ? `${origin.place}.content` : origin.place;
  const place = origin.parts[Number(part)] ?? origin.place;
  if (within.startsWith('.image_url')) return `${place}.source`;
  return within === '.text' ? `${place}.text` : place;
}

export const { renameFault, ignoredFields, inTheirNames } = renaming('thinking', renameField);
