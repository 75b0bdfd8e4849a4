import type { Colours } from '../colours.ts';
import type { LineEditor } from './line-editor.ts';
import { ResponsePrinter } from './response-printer.ts';
import { ChatError } from './server.ts';
import { type AfterCommand, type ChatContext, runSlashCommand } from './slash-commands.ts';
import { endText, statsText } from './stats.ts';

/** A conversation of several turns. */
export interface ConversationContext extends Omit<ChatContext, 'signal'> {
  readonly editor: Pick<LineEditor, 'read' | 'interruptible'>;
  readonly write: (text: string) => void;
  readonly err: (line: string) => void;
  readonly colours: Colours;
  readonly showsReasoning: boolean;
  readonly showsStats: boolean;
}

/** Reads messages and commands until there are no more. */
export async function runConversation(context: ConversationContext): Promise<void> {
  for (let message = await context.editor.read(); message !== undefined; message = await context.editor.read()) {
    const after = await take(message, context);
    if (after === 'quit') return;
  }
}

/** Prints an error as one line, and continues with the next message. */
async function take(message: string, context: ConversationContext): Promise<AfterCommand> {
  try {
    if (message.trim() === '') return;
    const after = isCommand(message) ? await runCommand(message, context) : { ask: message.replace(/^\/\//, '/') };
    if (typeof after !== 'object') return after;
    await sendPrompt(after.ask, context);
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    context.err(`conch: ${error.message}`);
  }
}

/** Runs a command. One that is stopped has no effect. */
function runCommand(message: string, context: ConversationContext): Promise<AfterCommand> {
  return context.editor.interruptible(async (signal) => {
    try {
      return await runSlashCommand(message, { ...context, signal });
    } catch (error) {
      throw signal.aborted ? new ChatError('Stopped.') : error;
    }
  });
}

function isCommand(message: string): boolean {
  return message.startsWith('/') && !message.startsWith('//');
}

async function sendPrompt(prompt: string, context: ConversationContext): Promise<void> {
  const { conversation, server, editor, write, say, colours, showsReasoning, showsStats } = context;
  const printer = new ResponsePrinter({ write, colours, showsReasoning, isTerminal: true });
  const request = conversation.request(prompt);
  const result = await editor
    .interruptible((signal) => server.ask(request, { signal, onPart: (part) => printer.show(part) }))
    .finally(() => printer.end());
  conversation.keep(result.response);
  const end = endText(result, '/set max_tokens N');
  if (end !== undefined) say(colours.dim(`(${end})`));
  if (showsStats) say(colours.dim(`(${statsText(result)})`));
}
