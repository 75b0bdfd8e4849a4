import { ApiError } from '../../../errors.ts';
import type { ConversationItem } from './conversation.ts';

/**
 * Starts a generation. While the conversation exceeds the context length, retries without its oldest items: one, two
 * more, four more and so on. Each attempt must fail before it returned any output.
 */
export async function withTruncation<Result>(
  items: readonly ConversationItem[],
  attempt: (items: readonly ConversationItem[]) => Promise<Result>,
): Promise<Result> {
  let rest = items;
  for (let count = 1; ; count *= 2)
    try {
      return await attempt(rest);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'context_length_exceeded') throw error;
      const shorter = withoutOldest(rest, count);
      if (shorter.length === rest.length) throw error;
      rest = shorter;
    }
}

/**
 * The conversation without some of its oldest items. The system messages at the start and the last item stay. A tool
 * output is dropped with its call. The rest starts with a user message, because many chat templates require it: if none
 * would remain, the last dropped one stays.
 */
export function withoutOldest(items: readonly ConversationItem[], count: number): ConversationItem[] {
  const first = items.findIndex(({ item }) => !isInstruction(item));
  if (first === -1) return [...items];
  const last = lastGroup(items, first);
  const cut = Math.min(first + count, last);
  const next = items.findIndex((item, at) => at >= cut && at <= last && isUser(item));
  const lastUser = next === -1 ? items.slice(first, cut).findLast(isUser) : undefined;
  const remaining = [...(lastUser ? [lastUser] : []), ...items.slice(next === -1 ? cut : next)];
  const calls = new Set(remaining.map(({ item }) => (isCall(item) ? item.call_id : undefined)));
  const isWhole = ({ item }: ConversationItem): boolean => !isOutput(item) || calls.has(item.call_id);
  return [...items.slice(0, first), ...remaining.filter(isWhole)];
}

function isUser({ item }: ConversationItem): boolean {
  return item.type === 'message' && item.role === 'user';
}

/** The index of the first item of the last group, which must stay: tool outputs stay with their calls. */
function lastGroup(items: readonly ConversationItem[], first: number): number {
  const openCalls = new Set<string>();
  let begin = items.length;
  do {
    const { item } = items[--begin] as ConversationItem;
    if (isOutput(item)) openCalls.add(item.call_id);
    else if (isCall(item)) openCalls.delete(item.call_id);
  } while (openCalls.size > 0 && begin > first);
  return begin;
}

type Item = ConversationItem['item'];

function isCall(item: Item): item is Item & { type: 'function_call' | 'custom_tool_call' } {
  return item.type === 'function_call' || item.type === 'custom_tool_call';
}

function isOutput(item: Item): item is Item & { type: 'function_call_output' | 'custom_tool_call_output' } {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
}

/** Tools are not part of the prompt's conversation, so they stay as instructions do. */
function isInstruction(item: Item): boolean {
  if (item.type === 'additional_tools' || item.type === 'tool_search_output') return true;
  return item.type === 'message' && (item.role === 'system' || item.role === 'developer');
}
