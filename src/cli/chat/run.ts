import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { type CommandInput, ownFlags } from '../../config/load.ts';
import { SettingsError } from '../../config/settings-error.ts';
import type { Terminal } from '../../serve/terminal.ts';
import { targetFrom } from '../client-flags.ts';
import { coloursFor } from '../colours.ts';
import { askOnce } from './ask-once.ts';
import { Conversation } from './conversation.ts';
import { type ConversationContext, runConversation } from './conversation-loop.ts';
import { type ChatFlags, chatDefinition, checkChatFlags } from './flags.ts';
import { LineEditor } from './line-editor.ts';
import { LineHistory } from './line-history.ts';
import { ChatError, ChatServer, ServerUnreachable } from './server.ts';
import { completeSlashCommand, requireModel } from './slash-commands.ts';

/** Runs `conch chat`: a conversation on a terminal, else one prompt. */
export async function runChat(input: CommandInput, terminal: Terminal): Promise<number> {
  const flags = ownFlags(input, chatDefinition);
  checkChatFlags(flags, input.flagNames);
  const [named, ...behind] = input.positionals;
  const words = [...behind, ...input.rest];
  const server = new ChatServer(await targetFrom(flags, terminal.environment));
  try {
    const model = await modelAt(server, named, terminal.stop).catch((error: unknown) => {
      throw refusal(error, named);
    });
    const conversation = new Conversation(model, { system: flags.system, fields: flags.set });
    const isInteractive = words.length === 0 && terminal.isInteractive && terminal.streams().input.isTTY;
    const options = {
      conversation,
      server,
      terminal,
      colours: coloursFor(terminal.isColoured),
      showsReasoning: flags.reasoning ?? terminal.isInteractive,
      showsStats: flags.stats,
    };
    if (isInteractive) return await openConversation(options, { flags, input });
    return await askOnce(await promptOf(words, terminal), options);
  } catch (error) {
    if (terminal.stop.aborted && error instanceof Error && error.name === 'AbortError') return 130;
    throw error;
  } finally {
    server.close();
  }
}

/** The model of the chat: the named one, else the first that can chat. */
async function modelAt(server: ChatServer, named: string | undefined, stop: AbortSignal): Promise<string> {
  if (named !== undefined) {
    await requireModel(server, named, stop);
    return named;
  }
  const names = await server.models(stop);
  const [first] = names ?? [];
  if (first !== undefined) return first;
  const reason = names ? 'has no chat model' : 'does not list its models. Write conch chat MODEL';
  throw new ChatError(`${server.origin} ${reason}.`);
}

const howToStart =
  'Start a server in another terminal: conch --triton HOST:8001, or conch without flags for a small default model. ' +
  'For a server elsewhere, set --url.';
const promptUsage = 'Write the prompt after the model, or after --: conch chat -- "PROMPT".';

/** Why the chat cannot start, and what to do about it. */
function refusal(error: unknown, named = ''): unknown {
  if (!(error instanceof ChatError)) return error;
  const advice = error instanceof ServerUnreachable ? [howToStart] : /\s/.test(named) ? [promptUsage] : [];
  return new SettingsError([[error.message, ...advice].join(' ')]);
}

/** The prompt: the words of the command line, then the piped input. */
async function promptOf(words: readonly string[], { streams, stop }: Terminal): Promise<string> {
  const { input } = streams();
  let piped = '';
  if (words.length === 0 || !input.isTTY)
    for await (const piece of addAbortSignal(stop, input.setEncoding('utf8'))) piped += piece as string;
  const prompt = [words.join(' '), piped.trimEnd()].filter((part) => part.trim() !== '').join('\n\n');
  if (prompt === '')
    throw new SettingsError(['The prompt is empty. Write it after the model, or send it to standard input.']);
  return prompt;
}

interface InteractiveOptions
  extends Pick<ConversationContext, 'conversation' | 'server' | 'colours' | 'showsReasoning' | 'showsStats'> {
  readonly terminal: Terminal;
}

async function openConversation(
  options: InteractiveOptions,
  { flags, input }: { flags: ChatFlags; input: CommandInput },
): Promise<number> {
  const { conversation, server, terminal, colours } = options;
  const history = flags.history ? new LineHistory(join(input.settings.cacheDir, 'chat-history')) : undefined;
  terminal.out(colours.dim(`${conversation.model} at ${server.origin}. /help lists the commands, Ctrl-D exits.`));
  const editor = new LineEditor({
    ...terminal.streams(),
    prompt: colours.bold('> '),
    continuation: colours.dim('… '),
    marksPastes: terminal.environment['TERM'] !== 'dumb',
    hint: colours.dim('(press Ctrl-C again to exit, or use Ctrl-D or /quit)'),
    history: history?.newestFirst(),
    onLine: history && ((line) => history.add(line)),
    complete: completeSlashCommand,
  });
  const end = (): void => editor.close();
  terminal.stop.addEventListener('abort', end);
  try {
    await runConversation({
      ...options,
      editor,
      say: (line) => terminal.out(line),
      write: (text) => terminal.write(text),
      err: (line) => terminal.err(line),
    });
    return terminal.stop.aborted ? 130 : 0;
  } finally {
    terminal.stop.removeEventListener('abort', end);
    editor.close();
  }
}
