import { ApiError } from '../../errors.ts';
import type { ChatMessage } from '../../requests/chat-request.ts';
import type { Block, MessageParam, ResultBlock, TextBlock, ToolResultBlock } from './blocks.ts';
import { contentOf } from './chat-content.ts';

/** A block, and its path in the request. */
interface LocatedBlock {
  readonly block: Block;
  readonly path: string;
}

/** Consecutive messages of one role: they are one turn. */
interface Turn {
  readonly role: MessageParam['role'];
  /** The path of its first message. */
  readonly path: string;
  readonly blocks: LocatedBlock[];
}

/** The path in the request of a chat message, and of each part of its content. */
export interface MessagePaths {
  readonly path: string;
  readonly parts: readonly string[];
}

export interface Conversation {
  readonly messages: ChatMessage[];
  /** One for each message. */
  readonly paths: MessagePaths[];
  /** Whether the response continues the last message. */
  readonly isContinued: boolean;
  /** The paths of ignored blocks. */
  readonly ignored: string[];
}

/** Translates a conversation to chat messages. */
export function conversationOf(
  messages: readonly MessageParam[],
  system: string | readonly TextBlock[] | null | undefined,
): Conversation {
  const turns = turnsOf(messages);
  const last = turns.at(-1) as Turn;
  const isContinued = last.role === 'assistant' && hasPrefill(last);
  // A last assistant message without text is no prefill: the response starts from nothing.
  if (last.role === 'assistant' && !isContinued && turns.length > 1) turns.pop();
  const out: Conversation = { messages: [], paths: [], isContinued, ignored: [] };
  const opening = typeof system === 'string' ? [{ type: 'text', text: system } as const] : (system ?? []);
  if (opening.some(({ text }) => text !== ''))
    addMessage(
      out,
      'system',
      'system',
      opening.map((block, at) => ({ block, path: `system[${at}]` })),
    );
  for (const turn of turns) addTurn(out, turn);
  return out;
}

function turnsOf(messages: readonly MessageParam[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach(({ role, content }, at) => {
    const path = `messages[${at}]`;
    const blocks: LocatedBlock[] =
      typeof content === 'string'
        ? [{ block: { type: 'text', text: content }, path: `${path}.content` }]
        : content.map((block, index) => ({ block, path: `${path}.content[${index}]` }));
    const before = turns.at(-1);
    if (before?.role === role) before.blocks.push(...blocks);
    else turns.push({ role, path, blocks });
  });
  return turns;
}

/** Whether the last assistant turn has text that the response can continue. */
function hasPrefill({ blocks }: Turn): boolean {
  const call = blocks.find(({ block }) => block.type === 'tool_use');
  if (call)
    throw invalid(call.path, 'the conversation ends with this tool_use block; send its result in a tool_result block.');
  const last = blocks.findLast(({ block }) => block.type === 'text' && block.text !== '');
  if (last?.block.type === 'text' && /\s$/.test(last.block.text))
    throw invalid(last.path, 'final assistant content cannot end with trailing whitespace.');
  return last !== undefined;
}

function addTurn(out: Conversation, { role, path, blocks }: Turn): void {
  if (role === 'assistant') {
    addAssistant(out, path, blocks);
    return;
  }
  for (const { block, path } of blocks) if (block.type === 'tool_result') addResult(out, block, path);
  const others = blocks.filter(({ block }) => block.type !== 'tool_result');
  if (others.length > 0 || blocks.length === 0) addMessage(out, role, path, others);
}

function addMessage(out: Conversation, role: 'user' | 'system', path: string, blocks: readonly LocatedBlock[]): void {
  const resultBlocks = blocks as readonly { readonly block: ResultBlock }[];
  out.messages.push({ role, content: contentOf(resultBlocks.map(({ block }) => block)) });
  out.paths.push({ path, parts: blocks.map((block) => block.path) });
}

function addResult(out: Conversation, { tool_use_id: id, content, is_error: isError }: ToolResultBlock, path: string) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : (content ?? []);
  out.messages.push({ role: 'tool', tool_call_id: id, content: contentOf(isError ? failed(blocks) : blocks) });
  out.paths.push({ path, parts: blocks.map((_, at) => `${path}.content[${at}]`) });
}

/** The chat API cannot mark a tool call as failed, so the text of its result says so. */
function failed(blocks: readonly ResultBlock[]): readonly ResultBlock[] {
  const at = blocks.findIndex(({ type }) => type === 'text');
  const { text } = (blocks[at] as TextBlock | undefined) ?? {};
  if (!text) return [...blocks, { type: 'text', text: 'Error' }];
  return /^\s*error/i.test(text) ? blocks : blocks.with(at, { type: 'text', text: `Error: ${text}` });
}

function addAssistant(out: Conversation, path: string, blocks: readonly LocatedBlock[]): void {
  const texts: LocatedBlock[] = [];
  const reasoning: string[] = [];
  const calls: object[] = [];
  for (const entry of blocks) {
    const { block } = entry;
    if (block.type === 'text') texts.push(entry);
    else if (block.type === 'thinking') reasoning.push(block.thinking);
    else if (block.type === 'redacted_thinking') out.ignored.push(entry.path);
    else if (block.type === 'tool_use')
      calls.push({
        id: block.id,
        type: 'function',
        function: { name: block.name, arguments: JSON.stringify(block.input) },
      });
  }
  const content =
    texts.length === 0 && calls.length > 0 ? null : contentOf(texts.map(({ block }) => block as TextBlock));
  out.messages.push({
    role: 'assistant',
    content,
    ...(reasoning.length > 0 ? { reasoning_content: reasoning.join('\n') } : {}),
    ...(calls.length > 0 ? { tool_calls: calls as NonNullable<AssistantCalls> } : {}),
  });
  out.paths.push({ path, parts: texts.map((text) => text.path) });
}

type AssistantCalls = Extract<ChatMessage, { role: 'assistant' }>['tool_calls'];

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
