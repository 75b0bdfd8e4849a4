import { renaming, thinkingVariables } from '../../requests/renaming.ts';
import { optionFields } from './options.ts';
import type { Origin } from './to-chat.ts';

const otherNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(optionFields).map(([option, field]) => [field, `options.${option}`])),
  max_completion_tokens: 'options.num_predict',
  'chat_template_kwargs.reasoning_effort': 'think',
};

function renameField(param: string, origin: Origin): string {
  const [, index, path = ''] = /^messages\[(\d+)](.*)$/.exec(param) ?? [];
  if (index !== undefined) return origin.pathOf(Number(index), path);
  if (param === 'messages' || param === 'continue_final_message') return origin.prompt;
  if (thinkingVariables.includes(param)) return 'think';
  if (/^response_format\b/.test(param))
    return param.replace(/^response_format(?:\.json_schema(?:\.schema)?)?/, 'format');
  return otherNames[param] ?? param;
}

export const { renameError, renameIgnored, withRenamedErrors } = renaming('think', renameField);
