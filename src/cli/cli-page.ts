import { type Command, exitCodesOf } from '../config/command.ts';
import { defaultTextOf, flagsOf, kindOf, placeholdersOf, type Setting } from '../config/setting.ts';
import { markdownTable } from '../config/settings-page.ts';
import { slashCommands } from './chat/slash-commands.ts';
import { commands } from './commands.ts';

/** The whole of docs/cli.md. */
export function cliPage(): string {
  const definitions = commands.map(({ definition }) => definition);
  const sections = [
    opening,
    markdownTable(
      ['Command', 'What it does'],
      definitions.map(({ name, summary }) => [
        `[\`conch ${name}\`](#conch-${name.replaceAll(' ', '-')})`,
        `${summary}.`,
      ]),
    ),
    exitCodes(definitions),
    ...definitions.map(commandSection),
  ];
  return `${sections.join('\n\n')}\n`;
}

const opening = `# The command line

This page is written by \`node scripts/generate-docs.mjs\` from the commands in \`src/cli/\`. Change it there.

\`conch COMMAND --help\` shows a command with all its flags and examples, \`conch keys --help\` the commands of a group,
\`conch --version\` the version. Without a command, \`conch\` serves. The settings that most commands share are on [the page of settings](settings.md).

What a command is asked for goes to standard output, everything else to standard error. There are colours only on a terminal, and
none where \`NO_COLOR\` is set to anything, or \`TERM\` is \`dumb\`.

In a clone of the repository \`conch\` is written \`npx conch\`. Completions need the command itself: \`npm link\` in the clone puts it where the shell finds it.`;

function exitCodes(definitions: readonly Command[]): string {
  const rows = definitions.flatMap((command) =>
    exitCodesOf(command).map(([code, meaning]) => [`\`conch ${command.name}\``, code, meaning]),
  );
  return `## Exit codes

A mistake on the command line is always 2, and all mistakes are told at once, a line each.

${markdownTable(['Command', 'Code', 'Meaning'], rows)}`;
}

/** What cannot be told from the tables. */
const remarks: Readonly<Record<string, () => string>> = { chat: chatRemarks, completions: () => completionRemarks };

const notRun =
  '<!-- not run: for servers and files of many kinds; src/cli/cli-page.test.ts reads each line as conch does -->';

function commandSection(command: Command): string {
  const { name, summary, arguments: words, flags = {}, examples = [] } = command;
  const rows = Object.entries<Setting>(flags).map(([key, setting]) => [
    flagCell(key, setting),
    defaultTextOf(setting) ?? '',
    setting.help,
  ]);
  return [
    `## conch ${name}`,
    `${summary}.`,
    notRun,
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    ...(words === undefined ? [] : [`Behind it stands \`${words}\`.`]),
    ...(rows.length === 0 ? [] : [markdownTable(['Flag of its own', 'Default', 'Meaning'], rows)]),
    ...(remarks[name] ? [remarks[name]()] : []),
  ].join('\n\n');
}

function chatRemarks(): string {
  const rows = slashCommands.map(({ name, argument, summary }) => [
    `\`/${name}${argument === undefined ? '' : ` ${argument}`}\``,
    `${summary}.`,
  ]);
  return `It talks to any server of OpenAI's API that is running; where none answers, it says how to start one. Without a model
it takes the first that can chat. The key comes from \`--api-key\`, else \`CONCH_API_KEY\`, else \`OPENAI_API_KEY\`.

**On a terminal** it is a conversation. A line is a message. It goes on behind a \`\\\` at the end of a line, from \`"""\` to \`"""\`, and
where several lines are pasted. Ctrl-C stops the answer and not the program: what has come of it stays in the conversation. At the prompt
it takes back what was typed; at an empty one, twice ends, and so does Ctrl-D. Arrows bring earlier lines back, also those of earlier
chats: they are kept in \`chat-history\` in the cache folder (\`CONCH_CACHE\`), unless \`--no-history\` is given. Reasoning is dimmed, and the
functions that a model calls are shown with their arguments; they are not run. Control characters of an answer are shown, not obeyed.

${markdownTable(['Command', 'What it does'], rows)}

A message that begins with a slash is written with two. A file that \`/save\` wrote is JSON, for its owner alone; no other file is
written over. \`/load\` brings messages, system message and fields back, and stays with the model of now.

**With a question**, behind the model, behind \`--\` or on standard input, it answers once and exits, so it stands in pipes. What is piped in comes
behind the question. The answer alone goes to standard output, with its reasoning on a terminal or with \`--reasoning\`.`;
}

const completionRemarks = `The scripts are made from the tables that the command line is read with. They complete commands, flags, the
values of flags that have a list of them, files and folders. That of bash is run by the tests; those of zsh and fish are compared with
what they were, and have not been run here.`;

function flagCell(name: string, setting: Setting): string {
  const value = kindOf(setting.schema) === 'boolean' ? '' : ` ${placeholdersOf(setting).join(' ')}`;
  return flagsOf(name, setting)
    .map((flag) => `\`${flag}${value}\``)
    .join(', ');
}
