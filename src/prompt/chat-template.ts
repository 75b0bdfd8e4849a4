import { ApiError } from '../errors.ts';
import type { Limits } from './jinja/scope.ts';
import { TemplateError } from './jinja/values.ts';
import { promptThread } from './prompt-thread.ts';
import { type CompiledTemplate, compileTemplate, renderChat, type TemplateInput } from './render-chat.ts';

export type { TemplateInput } from './render-chat.ts';
export type { TemplateMessage } from './template-messages.ts';

/** Turns a conversation into the text of a prompt. */
export interface ChatTemplate {
  /** Where it was found, for display. */
  readonly source: string;
  /** Its own text (of all its variants), by which parsers of tool calls and reasoning know the family. */
  readonly text: string;
  /** Whether it writes the placeholder of an image itself for an image among the parts of a message. */
  readonly takesImages: boolean;
  /** Whether it reads this name. */
  mentions(variable: string): boolean;
  /** Rejects with an ApiError where the template refuses the conversation. */
  render(input: TemplateInput): Promise<string>;
  /** The same at once where that is quick; undefined: it takes the prompt thread. */
  renderInline(input: TemplateInput): string | undefined;
  renderInThread(input: TemplateInput): Promise<string>;
}

/** Characters and values beyond which a conversation is rendered in the prompt thread instead of on the event loop. */
const mostText = 512 * 1024;
const mostValues = 8192;
/** What a rendering on the event loop may cost; one that needs more starts again in the thread. */
export const inlineLimits: Limits = { time: 20, steps: 20_000 };
/** Milliseconds that a rendering may take where nothing else is said. */
export const defaultTime = 2000;

interface JinjaOptions {
  readonly source: string;
  /** The template under `default`, and others by name: `tool_use` is taken when tools are given, `rag` with documents. */
  readonly templates: Readonly<Record<string, string>>;
  /** `bos_token`, `eos_token` and so on, as the template names them. */
  readonly specialTokens: Readonly<Record<string, string>>;
  /** Milliseconds that one rendering may take. */
  readonly time?: number;
}

/** A model's own Jinja template. Throws a TemplateError where one of them cannot be parsed. */
export function jinjaTemplate({ source, templates, specialTokens, time = defaultTime }: JinjaOptions): ChatTemplate {
  const compiled = new Map<string, CompiledTemplate & { text: string }>();
  for (const [name, text] of Object.entries(templates)) compiled.set(name, { ...compileTemplate(text), text });
  const fallback = compiled.get('default') ?? (compiled.size === 1 ? [...compiled.values()][0] : undefined);
  if (fallback === undefined) {
    throw new TemplateError(`${source} has the templates ${[...compiled.keys()].join(', ')} but none named default.`);
  }
  const choose = ({ tools, documents }: TemplateInput) =>
    (tools ? compiled.get('tool_use') : undefined) ?? (documents ? compiled.get('rag') : undefined) ?? fallback;
  return {
    source,
    text: [...compiled.values()].map(({ text }) => text).join('\n'),
    takesImages: [...compiled.values()].every(({ traits }) => traits.takesImages),
    mentions: (variable) => [...compiled.values()].some(({ traits }) => traits.names.has(variable)),
    ...rendering({
      isLarge: ({ messages, tools, documents, variables }) => isLarge([messages, tools, documents, variables]),
      inline: (input) => renderChat(choose(input), taskOf(input, specialTokens), inlineLimits),
      inThread: (input) =>
        promptThread.ask<'chat'>({
          kind: 'chat',
          source: choose(input).text,
          input: taskOf(input, specialTokens),
          time,
        }),
    }),
  };
}

/** Field by field: a thread is sent nothing else. */
function taskOf(input: TemplateInput, specialTokens: JinjaOptions['specialTokens']) {
  const { messages, tools, documents, addGenerationPrompt, continueFinalMessage, variables } = input;
  return { messages, tools, documents, addGenerationPrompt, continueFinalMessage, variables, specialTokens };
}

interface RenderMethods {
  /** Throws where the template does not support the input. */
  check?(input: TemplateInput): void;
  isLarge(input: TemplateInput): boolean;
  inline(input: TemplateInput): string;
  inThread(input: TemplateInput): Promise<string>;
}

/** Renders at once where that is quick, and in the prompt thread otherwise. */
export function rendering(methods: RenderMethods): Pick<ChatTemplate, 'render' | 'renderInline' | 'renderInThread'> {
  const renderInline = (input: TemplateInput): string | undefined => {
    methods.check?.(input);
    if (methods.isLarge(input)) return undefined;
    try {
      return methods.inline(input);
    } catch (error) {
      if (error instanceof TemplateError && error.kind === 'limit') return undefined;
      throw asApiError(error);
    }
  };
  const renderInThread = (input: TemplateInput): Promise<string> =>
    methods.inThread(input).catch((error: unknown) => {
      throw asApiError(error);
    });
  return { renderInline, renderInThread, render: async (input) => renderInline(input) ?? renderInThread(input) };
}

function asApiError(error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error;
  if (error.kind !== 'invalid') return refusal(error.message, 'messages', error);
  return refusal(`The chat template of this model cannot render these messages: ${error.message}`, 'messages', error);
}

/** The template refuses the conversation. */
export function refusal(message: string, param: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', message, cause === undefined ? { param } : { param, cause });
}

/**
 * Whether a value is too large to be rendered on the event loop. Values count more than text: a template goes through
 * them step by step, while it only copies text, which takes less time than to send it to a thread and back.
 */
export function isLarge(value: unknown): boolean {
  let text = 0;
  let values = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    values++;
    if (typeof next === 'string') text += next.length;
    else if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) waiting.push(child);
    if (text > mostText || values + waiting.length > mostValues) return true;
  }
  return false;
}
