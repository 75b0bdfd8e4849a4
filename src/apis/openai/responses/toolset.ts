import { ApiError } from '../../../errors.ts';
import type { ChatRequest } from '../../../requests/chat-request.ts';
import { mostTools } from '../../../requests/tools.ts';
import type { ConversationItem } from './conversation.ts';
import type { ResponsesRequest } from './responses-request.ts';
import type { CustomTool, FunctionTool, NamespaceTool, RequestTool, ToolName } from './tool-fields.ts';

type ChatTool = NonNullable<ChatRequest['tools']>[number];

/** The field that the items of earlier responses come from. */
const stored = 'previous_response_id';

/** A tool of a request, for a name that the model calls. */
export interface CalledTool {
  readonly type: 'function' | 'custom';
  readonly name: string;
  readonly namespace: string | undefined;
}

/** A tool as the model gets it. */
interface OfferedTool extends CalledTool {
  /** The field of the request that it comes from. */
  readonly path: string;
  readonly chat: ChatTool;
}

/** The tools of a request as the model gets them: functions without namespaces. */
export class Toolset {
  readonly #tools = new Map<string, OfferedTool>();
  /** The types of the tools that the model does not get. */
  readonly #hosted = new Set<string>();

  /** Adds tools. If `replaces`, a tool that is there already is replaced: conversations repeat them. */
  add(tools: readonly RequestTool[], path: string, { replaces }: { readonly replaces: boolean }): void {
    tools.forEach((tool, at) => this.#addTool(tool, path === stored ? path : `${path}[${at}]`, replaces));
    if (this.#tools.size > mostTools)
      throw invalid(path, `a request can have at most ${mostTools} tools, not ${this.#tools.size}.`);
  }

  /** The tools of the chat request. */
  get chatTools(): ChatTool[] {
    return [...this.#tools.values()].map(({ chat }) => chat);
  }

  /** The field of the request that each of them comes from. */
  get paths(): string[] {
    return [...this.#tools.values()].map(({ path }) => path);
  }

  get size(): number {
    return this.#tools.size;
  }

  /** The tool that the model calls by a name; undefined for a name that it made up. */
  called(name: string): CalledTool | undefined {
    return this.#tools.get(name);
  }

  /** The model's name of a tool. Throws if the request does not have the tool. */
  nameOf({ type, name, namespace }: ToolName, param: string): string {
    const flat = flatName(name, namespace);
    // Without any tool, the chat says that there is none.
    if (this.#tools.size === 0 || this.#tools.get(flat)?.type === type) return flat;
    const kind = type === 'custom' ? 'custom tool' : 'tool';
    const inside = namespace ? ` in the namespace ${JSON.stringify(namespace)}` : '';
    throw invalid(param, `the request has no ${kind} named ${JSON.stringify(name)}${inside}.`);
  }

  /** Rejects a required call if all tools of the request are hosted. */
  requireTools(): void {
    if (this.#tools.size > 0 || this.#hosted.size === 0) return;
    const types = [...this.#hosted].map((type) => JSON.stringify(type)).join(', ');
    throw new ApiError(
      'unsupported_parameter',
      `tool_choice: a call cannot be required, because the request has only tools that are not supported: ${types}.`,
      { param: 'tool_choice' },
    );
  }

  #addTool(tool: RequestTool, path: string, replaces: boolean): void {
    if (isNamespace(tool)) this.#addNamespace(tool, path, replaces);
    else if (isFunction(tool) || isCustom(tool)) this.#offer(tool, { path, replaces });
    else this.#hosted.add(tool.type);
  }

  /** The first tool of a namespace describes the namespace too. */
  #addNamespace({ name: namespace, description, tools }: NamespaceTool, path: string, replaces: boolean): void {
    let introduction = description ? `${namespace}: ${description}` : undefined;
    tools.forEach((tool, at) => {
      if (isFunction(tool) || isCustom(tool)) {
        const toolPath = path === stored ? path : `${path}.tools[${at}]`;
        this.#offer(tool, { path: toolPath, replaces, namespace, introduction });
        introduction = undefined;
      } else this.#hosted.add(tool.type);
    });
  }

  #offer(tool: FunctionTool | CustomTool, { path, replaces, namespace, introduction }: Offer): void {
    const { type, name } = tool;
    const flat = flatName(name, namespace);
    const other = this.#tools.get(flat);
    if (other) {
      const isSame = other.name === name && other.namespace === namespace;
      if (!(replaces && isSame)) throw collision({ name, namespace, path }, other);
      this.#tools.delete(flat);
    }
    const chat = isCustom(tool) ? customFunction(tool, flat, introduction) : plainFunction(tool, flat, introduction);
    this.#tools.set(flat, { type, name, namespace, path, chat });
  }
}

interface Offer {
  readonly path: string;
  readonly replaces: boolean;
  readonly namespace?: string;
  /** Text before the description. */
  readonly introduction?: string | undefined;
}

/** The tools of a request, and those that items of the conversation add. */
export function toolsetOf({ tools }: ResponsesRequest, items: readonly ConversationItem[]): Toolset {
  const toolset = new Toolset();
  toolset.add(tools ?? [], 'tools', { replaces: false });
  for (const { item, path } of items)
    if (item.type === 'additional_tools' || item.type === 'tool_search_output')
      toolset.add(item.tools, path === stored ? path : `${path}.tools`, { replaces: true });
  return toolset;
}

/** The name of a tool for the model, which knows no namespaces. */
export function flatName(name: string, namespace: string | null | undefined): string {
  return namespace ? `${namespace}__${name}` : name;
}

function isNamespace(tool: RequestTool): tool is NamespaceTool {
  return tool.type === 'namespace';
}

function isFunction(tool: RequestTool): tool is FunctionTool {
  return tool.type === 'function';
}

function isCustom(tool: RequestTool): tool is CustomTool {
  return tool.type === 'custom';
}

function plainFunction(tool: FunctionTool, name: string, introduction: string | undefined): ChatTool {
  const { parameters, strict } = tool;
  return {
    type: 'function',
    function: {
      name,
      ...described(introduction, tool.description),
      ...(parameters ? { parameters } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
  };
}

/** The parameters of a custom tool: its whole input is one string. */
const customParameters = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
};

function customFunction(tool: CustomTool, name: string, introduction: string | undefined): ChatTool {
  const { description, format } = tool;
  const rule =
    format?.type === 'grammar'
      ? `The input must match this ${format.syntax} grammar:\n${format.definition}`
      : undefined;
  return {
    type: 'function',
    function: { name, ...described(introduction, description, rule), parameters: customParameters },
  };
}

function described(...texts: readonly (string | null | undefined)[]): { description?: string } {
  const present = texts.filter((text) => typeof text === 'string');
  return present.length > 0 ? { description: present.join('\n\n') } : {};
}

function collision(
  { name, namespace, path }: Pick<OfferedTool, 'name' | 'namespace' | 'path'>,
  other: OfferedTool,
): ApiError {
  const param = path === stored ? path : `${path}.name`;
  if (other.name === name && other.namespace === namespace)
    return invalid(param, `another tool is also named ${JSON.stringify(name)}; names must be unique.`);
  const flat = JSON.stringify(flatName(name, namespace));
  const both = `${fullName(other)} (${other.path}) and ${fullName({ name, namespace })} (${path})`;
  return invalid(param, `the model gets two tools as ${flat}: ${both}. Rename one of them.`);
}

function fullName({ name, namespace }: Pick<OfferedTool, 'name' | 'namespace'>): string {
  return JSON.stringify(name) + (namespace === undefined ? '' : ` in the namespace ${JSON.stringify(namespace)}`);
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
