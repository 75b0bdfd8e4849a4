import { messageOf } from '../thrown.ts';
import { Evaluator } from './jinja/evaluate.ts';
import { globalScope } from './jinja/globals.ts';
import { type Limits, Meter } from './jinja/scope.ts';
import { type Node, parseTemplate } from './jinja/syntax.ts';
import { type TemplateTraits, traitsOf } from './jinja/traits.ts';
import { TemplateError } from './jinja/values.ts';
import { messagesFor, type TemplateMessage } from './template-messages.ts';
import { toolsValue } from './tool-values.ts';

/** What a chat template is rendered with. */
export interface TemplateInput {
  readonly messages: readonly TemplateMessage[];
  readonly tools?: readonly unknown[] | undefined;
  readonly documents?: readonly unknown[] | undefined;
  readonly addGenerationPrompt: boolean;
  readonly continueFinalMessage: boolean;
  /** More values for the template: the request's `chat_template_kwargs`. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A template that has been parsed, ready to run many times. */
export interface CompiledTemplate {
  readonly program: Node;
  readonly traits: TemplateTraits;
}

/** Parses a template and reads its traits. Throws a TemplateError that says why it is invalid. */
export function compileTemplate(source: string): CompiledTemplate {
  try {
    const program = parseTemplate(source);
    return { program, traits: traitsOf(program) };
  } catch (error) {
    // At the end of the text, the parser reads beyond its last token.
    const reason = error instanceof TypeError ? 'it ends inside a block. Close all blocks.' : messageOf(error);
    throw new TemplateError(`The chat template is not valid Jinja: ${reason}`);
  }
}

const continueTag = 'CONTINUE_FINAL_MESSAGE_TAG ';

/** The prompt of a conversation, as transformers' `apply_chat_template` writes it. Synchronous, bounded by the limits. */
export function renderChat(
  template: CompiledTemplate,
  input: TemplateInput & { readonly specialTokens: Readonly<Record<string, string>> },
  limits: Limits,
): string {
  if (input.continueFinalMessage && input.addGenerationPrompt) {
    throw new TemplateError('continue_final_message and add_generation_prompt exclude each other.', 'raised');
  }
  const messages = messagesFor(template.traits, input.messages);
  const continued = input.continueFinalMessage ? tagFinalMessage(messages) : undefined;
  const scope = globalScope(
    {
      ...input.specialTokens,
      ...input.variables,
      messages,
      documents: input.documents ?? null,
      add_generation_prompt: input.addGenerationPrompt,
    },
    new Date(),
  );
  scope.set('tools', input.tools ? toolsValue(input.tools) : null);
  const text = run(template.program, scope, limits);
  return continued === undefined ? text : cutAtTag(text, continued);
}

function run(program: Node, scope: ReturnType<typeof globalScope>, limits: Limits): string {
  try {
    return new Evaluator(new Meter(limits)).render(program, scope);
  } catch (error) {
    if (error instanceof RangeError)
      throw new TemplateError('The chat template nests too deeply or writes too much.', 'limit');
    throw error;
  }
}

/** Marks the end of the last message's text, and gives that text. */
function tagFinalMessage(messages: Record<string, unknown>[]): string {
  const last = messages.at(-1);
  const content = last?.['content'];
  if (last !== undefined && typeof content === 'string') {
    last['content'] = content + continueTag;
    return content;
  }
  const parts = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  const at = parts.findLastIndex((part) => typeof part.text === 'string');
  if (last === undefined || at < 0) {
    throw new TemplateError('continue_final_message is set but the final message has no text to continue.', 'raised');
  }
  const text = String(parts[at]?.text);
  last['content'] = parts.map((part, index) => (index === at ? { ...part, text: text + continueTag } : part));
  return text;
}

function cutAtTag(text: string, finalMessage: string): string {
  const at = text.lastIndexOf(continueTag.trim());
  if (at < 0 || !text.includes(finalMessage.trim())) {
    throw new TemplateError(
      'continue_final_message is set but the chat template leaves the final message out or changes it.',
      'raised',
    );
  }
  // A template that trims messages has also taken the tag's own space: then the message's last spaces go too.
  return text.startsWith(continueTag, at) ? text.slice(0, at) : text.slice(0, at).trimEnd();
}
