import { didYouMean } from '../../config/nearest.ts';
import { jsonOrText } from '../client-flags.ts';
import { type Conversation, ownFields } from './conversation.ts';
import { load, save } from './saved-file.ts';
import { ChatError, type ChatServer } from './server.ts';
import { statsText, totalText } from './stats.ts';

/** The parts of a chat that commands use. */
export interface ChatContext {
  readonly conversation: Conversation;
  readonly server: ChatServer;
  /** Stops the command. */
  readonly signal: AbortSignal;
  /** Prints a line for the user. */
  readonly say: (line: string) => void;
}

/** What follows a command: nothing, a prompt to send, or the end. */
export type AfterCommand = void | 'quit' | { readonly ask: string };

interface SlashCommand {
  readonly name: string;
  /** How its argument is written; left out: it takes none. */
  readonly argument?: string;
  readonly summary: string;
  run(context: ChatContext, argument: string): AfterCommand | Promise<AfterCommand>;
}

/** The commands of a chat, in the order in which they are shown. */
export const slashCommands: readonly SlashCommand[] = [
  { name: 'help', summary: 'List the commands', run: ({ say }) => say(helpLines()) },
  {
    name: 'model',
    argument: '[NAME]',
    summary: 'Show the model, or switch to another',
    run: async ({ conversation, server, signal, say }, name) => {
      if (name === '') return say(conversation.model);
      await requireModel(server, name, signal);
      conversation.model = name;
      say(`Switched to ${name}.`);
    },
  },
  { name: 'models', summary: 'List the models of the server', run: listModels },
  {
    name: 'system',
    argument: '[TEXT]',
    summary: 'Show the system message, or set it. - removes it',
    run: ({ conversation, say }, text) => {
      if (text === '') say(conversation.system ?? 'There is no system message.');
      else conversation.system = text === '-' ? undefined : text;
    },
  },
  {
    name: 'set',
    argument: '[NAME [VALUE]]',
    summary: 'Show the request fields, or set one, for example temperature 0.2. Without a value, remove it',
    run: setField,
  },
  {
    name: 'clear',
    summary: 'Clear the conversation. The system message and the fields stay',
    run: ({ conversation, say }) => {
      conversation.clear();
      say('Conversation cleared.');
    },
  },
  {
    name: 'save',
    argument: 'FILE',
    summary: 'Save the conversation to a file',
    run: async ({ conversation, say }, file) => say(`Saved ${await save(conversation, file)} to ${file}.`),
  },
  {
    name: 'load',
    argument: 'FILE',
    summary: 'Continue the conversation of a file from /save',
    run: async ({ conversation, say }, file) => say(`Loaded ${await load(conversation, file)} from ${file}.`),
  },
  {
    name: 'retry',
    summary: 'Send the last message again, and discard its response',
    run: ({ conversation }) => {
      const prompt = conversation.takeBack();
      if (prompt === undefined) throw new ChatError('There is no message yet.');
      return { ask: prompt };
    },
  },
  {
    name: 'usage',
    summary: 'Show tokens, time to first token and tokens/s of the last response, and the total tokens',
    run: ({ server, say }) => {
      if (!server.last) throw new ChatError('There is no response yet.');
      say(statsText(server.last));
      say(totalText(server.total));
    },
  },
  { name: 'quit', summary: 'Quit, like Ctrl-D', run: () => 'quit' },
];

/** Runs a line that begins with a slash. Throws a ChatError where it cannot. */
export async function runSlashCommand(line: string, context: ChatContext): Promise<AfterCommand> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trimEnd()) ?? [];
  const command = slashCommands.find((each) => each.name === name);
  if (!command) {
    const meant = didYouMean(
      `/${name}`,
      slashCommands.map((each) => `/${each.name}`),
    );
    throw new ChatError(
      `/${name} is not a command.${meant} Use /help for the commands, or // to begin a message with a slash.`,
    );
  }
  if (argument !== '' && command.argument === undefined) throw new ChatError(`/${name} takes no argument.`);
  if (argument === '' && command.argument?.startsWith('[') === false)
    throw new ChatError(`/${name} needs an argument. Write /${name} ${command.argument}.`);
  return command.run(context, argument);
}

/** The commands that begin with the typed text. */
export function completeSlashCommand(line: string): string[] {
  return slashCommands.map(({ name }) => `/${name}`).filter((name) => line.startsWith('/') && name.startsWith(line));
}

/** Throws for a model that the server does not list, if it lists any. */
export async function requireModel(server: ChatServer, name: string, signal: AbortSignal): Promise<void> {
  const names = await server.models(signal);
  if (names === undefined || names.includes(name)) return;
  const others = names.length === 0 ? 'It has no chat models.' : `Available models: ${names.join(', ')}.`;
  throw new ChatError(`${server.origin} has no chat model ${JSON.stringify(name)}. ${others}`);
}

function helpLines(): string {
  const rows = slashCommands.map(({ name, argument, summary }) => [`/${name} ${argument ?? ''}`.trimEnd(), summary]);
  const width = Math.max(...rows.map(([usage = '']) => usage.length));
  const lines = rows.map(([usage = '', summary]) => `${usage.padEnd(width)}  ${summary}.`);
  return [
    ...lines,
    'A message continues after a \\ at the end of a line, or from """ to """.',
    'Ctrl-C stops a response.',
  ].join('\n');
}

async function listModels({ conversation, server, signal, say }: ChatContext): Promise<void> {
  const names = await server.models(signal);
  if (names === undefined) throw new ChatError(`${server.origin} does not list its models.`);
  for (const name of names) say(`${name === conversation.model ? '*' : ' '} ${name}`);
}

function setField({ conversation: { fields }, say }: ChatContext, written: string): void {
  const [, name = '', value = ''] = /^(\S*)\s*(.*)$/s.exec(written) ?? [];
  const own = ownFields.get(name);
  if (own !== undefined) throw new ChatError(`${name} cannot be set. ${own}.`);
  if (name === '') {
    if (fields.size === 0) say("No fields are set. The server's defaults apply.");
    for (const [each, set] of fields) say(`${each} ${JSON.stringify(set)}`);
  } else if (value !== '') {
    fields.set(name, jsonOrText(value));
    say(`${name} is now ${JSON.stringify(fields.get(name))}.`);
  } else if (fields.delete(name)) say(`Removed ${name}.`);
  else throw new ChatError(`${name} is not set. Set it with /set ${name} VALUE.`);
}
