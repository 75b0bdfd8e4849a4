import type { ApiError } from '../../../errors.ts';
import { renamedFault } from '../../../requests/renaming.ts';
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
export function renameFault(error: ApiError, origins: readonly MessageOrigin[]): ApiError {
  return renamedFault(error, (field) => placeInInput(field, origins) ?? renamedField(field));
}

function renamedField(param: string): string {
  const found = names.find(([pattern]) => pattern.test(param));
  return found ? param.replace(found[0], found[1]) : param;
}

/** The input path of a field of a chat message; undefined for other fields. */
function placeInInput(param: string, origins: readonly MessageOrigin[]): string | undefined {
  const [, index, rest = ''] = /^messages\[(\d+)\](.*)$/.exec(param) ?? [];
  const origin = index === undefined ? undefined : origins[Number(index)];
  if (!origin) return undefined;
  const call = /^\.tool_calls\[(\d+)\](.*)$/.exec(rest);
  if (call) {
    const place = origin.calls[Number(call[1])] ?? origin.place;
    return isItem(place) ? place + (call[2] ?? '').replace(/^\.function\b/, '').replace(/^\.id\b/, '.call_id') : place;
  }
  if (origin.content === undefined) return origin.place;
  return (
    origin.place +
    rest
      .replace(/^\.content\b/, `.${origin.content}`)
      .replace('.image_url.url', '.image_url')
      .replace('.image_url.detail', '.detail')
      .replace(/^\.tool_call_id\b/, '.call_id')
  );
}

function isItem(place: string): boolean {
  return place.startsWith('input[');
}
