import { ApiError } from '../../../errors.ts';
import { isHosted, readHosted } from './hosted-items.ts';
import type { InputItem, PlainItem, RequestItem } from './input-items.ts';
import { itemId, responseOfItem } from './item-ids.ts';
import type { ResponsesRequest } from './responses-request.ts';

/** A stored item: it has an id. */
export type StoredItem = InputItem & { readonly id: string };

/** An item of a conversation, and the request field that it comes from. */
export interface ConversationItem {
  readonly item: PlainItem;
  /** `input`, `input[2]` or `previous_response_id`. */
  readonly path: string;
}

/** An earlier response, with its own input. */
interface EarlierResponse {
  readonly input: readonly Readonly<Record<string, unknown>>[];
  readonly response: Readonly<Record<string, unknown>>;
}

/** The ids of the items that a request refers to, each with the response that it belongs to. */
export function referencesOf(request: ResponsesRequest): readonly { readonly id: string; readonly response: string }[] {
  return itemsOf(request).flatMap((item, at) => {
    if (isHosted(item) || item.type !== 'item_reference') return [];
    const response = responseOfItem(item.id);
    if (response === undefined) throw unknownItem(item.id, at);
    return [{ id: item.id, response }];
  });
}

/** The item of a stored response with an id; undefined if there is none. */
export function itemOf({ input, response }: EarlierResponse, id: string): InputItem | undefined {
  return [...outputOf(response), ...(input as InputItem[])].find((item) => item.id === id);
}

/** The items of a request's own input as they are stored and listed: with ids, texts as parts, no references. */
export function storedInput(
  request: ResponsesRequest,
  { id, references = new Map() }: { readonly id: string; readonly references?: ReadonlyMap<string, InputItem> },
): StoredItem[] {
  return itemsOf(request).map((item, at): StoredItem => {
    if (isHosted(item)) return { ...item, id: item.id ?? itemId(id, 'hosted', `i${at}`) };
    if (item.type !== 'item_reference') return storedItemOf(item, item.id ?? itemId(id, item.type, `i${at}`));
    const found = references.get(item.id);
    if (!found) throw unknownItem(item.id, at);
    return isHosted(found) ? { ...found, id: item.id } : storedItemOf(found, item.id);
  });
}

/** The whole conversation: inputs and outputs of the earlier responses, the first one first, then the own input. */
export function conversationOf(
  request: ResponsesRequest,
  { earlier, own }: { readonly earlier: readonly EarlierResponse[]; readonly own: readonly InputItem[] },
): ConversationItem[] {
  const before = earlier.flatMap(({ input, response }) => [...(input as InputItem[]), ...outputOf(response)]);
  const isText = typeof request.input === 'string';
  return [
    ...before.flatMap((item) => withPath(item, 'previous_response_id')),
    ...own.flatMap((item, at) => withPath(item, isText ? 'input' : `input[${at}]`)),
  ];
}

/** An item as parts of the conversation: those of tools that another server ran are calls and results, or nothing. */
function withPath(item: InputItem, path: string): ConversationItem[] {
  const items = isHosted(item) ? readHosted(item).items : [item];
  return items.map((plain) => ({ item: plain, path }));
}

function itemsOf({ input }: ResponsesRequest): readonly RequestItem[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return input ?? [];
}

/** Output items have the same types as input items. */
function outputOf(response: Readonly<Record<string, unknown>>): InputItem[] {
  return response['output'] as InputItem[];
}

const withoutStatus = new Set(['reasoning', 'additional_tools', 'tool_search_output']);

function storedItemOf(item: PlainItem, id: string): PlainItem & { readonly id: string } {
  const hasStatus = !withoutStatus.has(item.type);
  const withId = { ...item, id, ...(hasStatus ? { status: item['status'] ?? 'completed' } : {}) } as PlainItem & {
    readonly id: string;
  };
  if (withId.type !== 'message' || typeof withId.content !== 'string') return withId;
  const text = withId.content;
  const part =
    withId.role === 'assistant'
      ? ({ type: 'output_text', text, annotations: [] } as const)
      : ({ type: 'input_text', text } as const);
  return { ...withId, content: [part] };
}

function unknownItem(id: string, at: number): ApiError {
  const param = `input[${at}].id`;
  return new ApiError('invalid_request', `${param}: no stored item has the id ${JSON.stringify(id)}.`, { param });
}
