import type { ApiError } from '../../../errors.ts';
import { renamedError } from '../../../requests/renaming.ts';
import type { MessageOrigin } from './messages.ts';

/** Chat request fields and their names in the Responses API. Longer names come first. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^response_format\.json_schema\b/, 'text.format'],
  [/^response_format\b/, 'text.format'],
  [/^(?:max_completion_tokens|max_tokens)\b/, 'max_output_tokens'],
  [/^reasoning_effort\b/, 'reasoning.effort'],
  [/^verbosity\b/, 'text.verbosity'],
  [/^(tools\[\d+\])\.function\b/, '$1'],
  [/^tool_choice\.allowed_tools\b/, 'tool_choice'],
  [/^tool_choice\.function\b/, 'tool_choice'],
  [/^logprobs\b/, 'include'],
  [/^(?:messages|prompt)$/, 'input'],
];

/** Where the parts of a chat request come from in the client's request. */
export interface RequestOrigins {
  readonly messages: readonly MessageOrigin[];
  /** The path of each tool. */
  readonly tools: readonly string[];
}

/** Renames the field of a chat error to its name in the client's request. */
export function renameError(error: ApiError, origins: RequestOrigins): ApiError {
  return renamedError(error, (field) => renameField(field, origins));
}

/** The name in the client's request of a field of the chat request. */
export function renameField(field: string, { messages, tools }: RequestOrigins): string {
  return inputPath(field, messages) ?? toolPath(field, tools) ?? renamedField(field);
}

function renamedField(param: string): string {
  const found = names.find(([pattern]) => pattern.test(param));
  return found ? param.replace(found[0], found[1]) : param;
}

/** The path of a field of a tool; undefined for other fields. */
function toolPath(param: string, tools: readonly string[]): string | undefined {
  const [, index, rest = ''] = /^tools\[(\d+)\](?:\.function\b)?(.*)$/.exec(param) ?? [];
  const path = index === undefined ? undefined : tools[Number(index)];
  if (path === undefined) return undefined;
  return path.endsWith(']') ? path + rest : path;
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
