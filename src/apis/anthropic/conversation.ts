import { ApiError } from '../../errors.ts';
import type { ChatMessage } from '../../requests/chat-request.ts';
import { unpackReasoning } from '../../requests/packed-reasoning.ts';
import type { Block, MessageParam, ResultBlock, TextBlock, ToolReferenceBlock, ToolResultBlock } from './blocks.ts';
import { contentOf } from './chat-content.ts';
import { chatTool, type FunctionTool, type LocatedTool } from './tools.ts';

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

interface ConversationSource {
  readonly messages: readonly MessageParam[];
  readonly system?: string | readonly TextBlock[] | null | undefined;
}

/** Translates a conversation to chat messages. Tool results may refer to the tools. */
export function conversationOf(
  { messages, system }: ConversationSource,
  tools: readonly LocatedTool[] = [],
): Conversation {
  const turns = turnsOf(messages);
  const last = turns.at(-1) as Turn;
  const isContinued = last.role === 'assistant' && hasPrefill(last);
  // A last assistant message without text is no prefill: the response starts from nothing.
  if (last.role === 'assistant' && !isContinued && turns.length > 1) turns.pop();
  const out: Conversation = { messages: [], paths: [], isContinued, ignored: [] };
  addSystem(out, system);
  const definitions = new ToolDefinitions(tools);
  for (const turn of turns) addTurn(out, turn, definitions);
  return out;
}

/** A line of Claude Code with its version and session. At the start of the prompt, it would defeat every prefix cache. */
const billingLine = /^x-anthropic-billing-header:[^\n]*(?:\n+|$)/;

function addSystem(out: Conversation, system: ConversationSource['system']): void {
  const isText = typeof system === 'string';
  const sent = isText ? [{ type: 'text', text: system } as const] : (system ?? []);
  const blocks: LocatedBlock[] = [];
  for (const [at, block] of sent.entries()) {
    const path = isText ? 'system' : `system[${at}]`;
    const text = block.text.replace(billingLine, '');
    if (text !== block.text) out.ignored.push(path);
    if (text !== '' || text === block.text) blocks.push({ block: { ...block, text }, path });
  }
  if (blocks.some(({ block }) => block.type === 'text' && block.text !== ''))
    addMessage(out, 'system', 'system', blocks);
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

function addTurn(out: Conversation, { role, path, blocks }: Turn, definitions: ToolDefinitions): void {
  if (role === 'assistant') {
    addAssistant(out, path, blocks);
    return;
  }
  for (const { block, path } of blocks) if (block.type === 'tool_result') addResult(out, { block, path, definitions });
  const others = blocks.filter(({ block }) => block.type !== 'tool_result');
  if (others.length > 0 || blocks.length === 0) addMessage(out, role, path, others);
}

function addMessage(out: Conversation, role: 'user' | 'system', path: string, blocks: readonly LocatedBlock[]): void {
  const resultBlocks = blocks as readonly { readonly block: ResultBlock }[];
  out.messages.push({ role, content: contentOf(resultBlocks.map(({ block }) => block)) });
  out.paths.push({ path, parts: blocks.map((block) => block.path) });
}

interface LocatedResult {
  readonly block: ToolResultBlock;
  readonly path: string;
  readonly definitions: ToolDefinitions;
}

function addResult(out: Conversation, { block, path, definitions }: LocatedResult): void {
  const { tool_use_id: id, content, is_error: isError } = block;
  const sent = typeof content === 'string' ? [{ type: 'text', text: content } as const] : (content ?? []);
  const blocks = sent.map((part, at) =>
    part.type === 'tool_reference' ? definitions.textOf(part, `${path}.content[${at}]`) : part,
  );
  out.messages.push({ role: 'tool', tool_call_id: id, content: contentOf(isError ? failed(blocks) : blocks) });
  out.paths.push({ path, parts: blocks.map((_, at) => `${path}.content[${at}]`) });
}

/** The definitions of tools that results refer to. */
class ToolDefinitions {
  readonly #tools: ReadonlyMap<string, FunctionTool>;
  readonly #described = new Set<string>();

  constructor(tools: readonly LocatedTool[]) {
    this.#tools = new Map(tools.map(({ tool }) => [tool.name, tool]));
  }

  /** The definition, which the model reads like one among the tools. The conversation has it once. */
  textOf({ tool_name: name }: ToolReferenceBlock, path: string): TextBlock {
    const tool = this.#tools.get(name);
    if (!tool) throw invalid(`${path}.tool_name`, `tools has no tool ${JSON.stringify(name)}; send its definition.`);
    const isRepeated = this.#described.has(name);
    this.#described.add(name);
    return { type: 'text', text: isRepeated ? `The tool ${name} is defined above.` : JSON.stringify(chatTool(tool)) };
  }
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
    else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      const thinking = thinkingOf(block);
      if (thinking === undefined) out.ignored.push(entry.path);
      else reasoning.push(thinking);
    } else if (block.type === 'tool_use')
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

/** The thinking of a block; that of an empty block is packed in its signature. Undefined if only another server has it. */
function thinkingOf(block: Extract<Block, { type: 'thinking' | 'redacted_thinking' }>): string | undefined {
  if (block.type === 'redacted_thinking') return undefined;
  return block.thinking === '' ? unpackReasoning(block.signature ?? '') : block.thinking;
}

type AssistantCalls = Extract<ChatMessage, { role: 'assistant' }>['tool_calls'];

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
