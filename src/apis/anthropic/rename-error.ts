import { renaming, thinkingVariables } from '../../requests/renaming.ts';
import type { Origin } from './to-chat.ts';

function renameField(param: string, { paths, toolPaths, formatField }: Origin): string {
  const [, index, rest = ''] = /^messages\[(\d+)](.*)$/.exec(param) ?? [];
  if (index !== undefined) return renameInMessage(rest, paths[Number(index)]);
  const [, tool, inTool = ''] = /^tools\[(\d+)](.*)$/.exec(param) ?? [];
  if (tool !== undefined)
    return (
      (toolPaths[Number(tool)] ?? 'tools') + inTool.replace(/^\.function/, '').replace(/^\.parameters/, '.input_schema')
    );
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
  reasoning_effort: 'output_config.effort',
  'chat_template_kwargs.reasoning_effort': 'output_config.effort',
};

/** Renames a field within a chat message. A field that the request does not have is named by its parent. */
function renameInMessage(rest: string, origin: Origin['paths'][number] | undefined): string {
  if (!origin) return 'messages';
  if (rest === '.tool_call_id') return `${origin.path}.tool_use_id`;
  const [, part, within = ''] = /^\.content\[(\d+)](.*)$/.exec(rest) ?? [];
  const isContent = rest === '.content' && origin.path !== 'system';
  if (part === undefined) return isContent ? `${origin.path}.content` : origin.path;
  const path = origin.parts[Number(part)] ?? origin.path;
  if (within.startsWith('.image_url')) return `${path}.source`;
  return within === '.text' ? `${path}.text` : path;
}

export const { renameError, renameIgnored, withRenamedErrors } = renaming('thinking', renameField);
