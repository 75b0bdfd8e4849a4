import type { ApiError } from '../../../errors.ts';
import { renamedError } from '../../../requests/renaming.ts';
import type { MessageOrigin } from './messages.ts';

/** Chat request fields and their names in the Responses API. Longer names come first. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^response_format\.json_schema\b/, 'text.format'],
  [/^response_format\b/, 'text.format'],
  [/^(?:max_completion_tokens|max_tokens)\b/, 'max_output_tokens'],
  [/^reasoning_effort\b/, 'reasoning.effort'],
  [/^(tools\[\d+\])\.function\b/, '$1'],
  [/^tool_choice\.allowed_tools\b/, 'tool_choice'],
  [/^tool_choice\.function\b/, 'tool_choice'],
  [/^logprobs\b/, 'include'],
  [/^(?:messages|prompt)$/, 'input'],
];

/** Renames the field of a chat error to its name in the client's request. */
export function renameError(error: ApiError, origins: readonly MessageOrigin[]): ApiError {
  return renamedError(error, (field) => inputPath(field, origins) ?? renamedField(field));
}

function renamedField(param: string): string {
  const found = names.find(([pattern]) => pattern.test(param));
  return found ? param.replace(found[0], found[1]) : param;
}

/** The input path of a field of a chat message; undefined for other fields. */
function inputPath(param: string, origins: readonly MessageOrigin[]): string | undefined {
  const [, index, rest = ''] = /^messages\[(\d+)\](.*)$/.exec(param) ?? [];
  const origin = index === undefined ? undefined : origins[Number(index)];
  if (!origin) return undefined;
  const call = /^\.tool_calls\[(\d+)\](.*)$/.exec(rest);
  if (call) {
    const path = origin.calls[Number(call[1])] ?? origin.path;
    return isItem(path) ? path + (call[2] ?? '').replace(/^\.function\b/, '').replace(/^\.id\b/, '.call_id') : path;
  }
  if (origin.content === undefined) return origin.path;
  return (
    origin.path +
    rest
      .replace(/^\.content\b/, `.${origin.content}`)
      .replace('.image_url.url', '.image_url')
      .replace('.image_url.detail', '.detail')
      .replace(/^\.tool_call_id\b/, '.call_id')
  );
}

function isItem(path: string): boolean {
  return path.startsWith('input[');
}
