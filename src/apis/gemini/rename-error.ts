import { renaming, thinkingVariables } from '../../requests/renaming.ts';
import { type Origin, samplingNames } from './to-chat.ts';

function renameField(param: string, { paths, tools, formatField }: Origin): string {
  const [, index, rest = ''] = /^messages\[(\d+)](.*)$/.exec(param) ?? [];
  if (index !== undefined) return renameInMessage(rest, paths[Number(index)]);
  const [, tool, inTool = ''] = /^tools\[(\d+)](.*)$/.exec(param) ?? [];
  if (tool !== undefined) return renameInTool(inTool, tools[Number(tool)]);
  if (/^(?:response_format|structured_outputs)\b/.test(param))
    return (
      formatField +
      param.replace(/^(?:response_format(?:\.json_schema(?:\.schema)?)?|structured_outputs[^.]*(?:\.choice)?)/, '')
    );
  if (/^tool_choice\b/.test(param)) return 'toolConfig.functionCallingConfig';
  if (thinkingVariables.includes(param)) return thinking;
  return otherNames[param] ?? param;
}

const thinking = 'generationConfig.thinkingConfig';

const otherNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(samplingNames).map(([name, field]) => [field, `generationConfig.${name}`])),
  max_completion_tokens: 'generationConfig.maxOutputTokens',
  logprobs: 'generationConfig.responseLogprobs',
  top_logprobs: 'generationConfig.logprobs',
  messages: 'contents',
  continue_final_message: 'contents',
  reasoning_effort: `${thinking}.thinkingLevel`,
  'chat_template_kwargs.reasoning_effort': `${thinking}.thinkingLevel`,
};

function renameInTool(rest: string, origin: Origin['tools'][number] | undefined): string {
  if (!origin) return 'tools';
  return origin.path + rest.replace(/^\.function/, '').replace(/^\.parameters/, `.${origin.parameters}`);
}

/** Renames a field within a chat message. A field that the request does not have is named by its parent. */
function renameInMessage(rest: string, origin: Origin['paths'][number] | undefined): string {
  if (!origin) return 'contents';
  const [, part, within = ''] = /^\.content\[(\d+)](.*)$/.exec(rest) ?? [];
  if (part === undefined) return origin.path;
  const path = origin.parts[Number(part)] ?? origin.path;
  return within === '.text' ? `${path}.text` : path;
}

export const { renameError, renameIgnored, withRenamedErrors } = renaming(thinking, renameField);
