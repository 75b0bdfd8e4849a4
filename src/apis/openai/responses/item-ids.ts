import { randomUUID } from 'node:crypto';

const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  additional_tools: 'at',
  tool_search_output: 'tso',
  hosted: 'ht',
} as const;

/** The kinds of items that have an id of their own. */
export type ItemType = keyof typeof prefixes;

const responsePrefix = 'resp_';
const itemPattern = new RegExp(`^(?:${Object.values(prefixes).join('|')})_([0-9a-f]{32})[io]\\d+$`);

/** A new id of a response: the prefix and 32 letters or digits. */
export function newResponseId(): string {
  return responsePrefix + randomUUID().replaceAll('-', '');
}

/** The id of an item of a response, by its position in the input or the output. */
export function itemId(responseId: string, type: ItemType, position: `i${number}` | `o${number}`): string {
  return `${prefixes[type]}_${responseId.slice(responsePrefix.length)}${position}`;
}

/**
 * The response of an item. The id of an item contains that of its response, so that any process with the store can
 * resolve a reference. Undefined for an id that Conch did not create.
 */
export function responseOfItem(id: string): string | undefined {
  const response = itemPattern.exec(id)?.[1];
  return response === undefined ? undefined : responsePrefix + response;
}
