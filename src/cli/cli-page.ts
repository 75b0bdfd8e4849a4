import { type Command, exitCodesOf } from '../config/command.ts';
import { groupNames, groups, type Setting } from '../config/setting.ts';
import { flagList, sentencesOf } from '../config/settings-page.ts';
import { code, fromPlainText, headingLink, listItem, paragraph } from '../markdown.ts';
import { slashCommands } from './chat/slash-commands.ts';
import { commands } from './commands.ts';

/** The whole of docs/cli.md. */
export function cliPage(): string {
  const definitions = commands.map(({ definition }) => definition);
  const sections = [opening, commandList(definitions), exitCodes(definitions), ...definitions.map(commandSection)];
  return `${sections.join('\n\n')}\n`;
}

const opening = `# Command-line reference

This page lists every command of \`conch\` with its flags, examples and exit codes. \`npm run docs\` generates it from
\`src/cli/\`.

\`\`\`sh
conch --triton localhost:8001 --tokenizer ./tokenizers/llama3
conch models --triton localhost:8001 --tokenizer ./tokenizers/llama3
conch models --help
\`\`\`

- Without a command, \`conch\` serves.
- \`conch COMMAND --help\` shows all flags of a command with examples. \`conch keys --help\` shows the commands of a
  group, \`conch --version\` the version.
- Most commands share [settings](settings.md): flags that are also environment variables and configuration keys.
- The result of a command goes to standard output, everything else to standard error.
- Colours appear only on a terminal. Set \`NO_COLOR\` to any value, or \`TERM=dumb\`, to turn them off.
- In a clone of the repository, write \`npx conch\` for \`conch\`. Shell completion needs the command itself: run
  \`npm link\` in the clone.`;

function commandList(definitions: readonly Command[]): string {
  const items = definitions.map(({ name, summary }) => {
    const link = headingLink(`conch ${name}`, { text: code(`conch ${name}`) });
    return listItem(`${link}: ${fromPlainText(summary)}.`);
  });
  return `## Commands\n\n${items.join('\n')}`;
}

function exitCodes(definitions: readonly Command[]): string {
  const items = definitions.flatMap(({ name, exitCodes = {} }) => {
    const own = Object.entries(exitCodes);
    return own.length === 0 ? [] : [listItem(code(`conch ${name}`)), codeItems(own, 1)];
  });
  return `## Exit codes

Invalid flags and arguments always end with 2. Conch prints all problems at once, each on its own line.

${codeItems(exitCodesOf({}))}

These commands have other or additional exit codes:

${items.join('\n')}`;
}

function codeItems(rows: readonly (readonly [exitCode: string, meaning: string])[], depth = 0): string {
  return rows.map(([exitCode, meaning]) => listItem(`${exitCode}: ${fromPlainText(meaning)}`, depth)).join('\n');
}

/** What a section says beyond the definition of its command. */
const remarks: Readonly<Record<string, () => string>> = { chat: chatRemarks, completions: () => completionRemarks };

const notRun =
  '<!-- not run: for servers and files of many kinds; src/cli/cli-page.test.ts reads each line as conch does -->';

function commandSection(command: Command): string {
  const { name, summary, arguments: words, flags = {}, examples = [] } = command;
  const items = Object.entries<Setting>(flags).map(([key, setting]) =>
    listItem(`${flagList(key, setting)}: ${sentencesOf(setting)}`),
  );
  return [
    `## conch ${name}`,
    paragraph(`${fromPlainText(summary)}.`),
    notRun,
    `\`\`\`sh\n${examples.map(shortLines).join('\n')}\n\`\`\``,
    ...(words === undefined ? [] : [`Arguments: ${code(words)}`]),
    ...(items.length === 0 ? [] : ['Flags of this command:', items.join('\n')]),
    ...settingsOfCommand(command),
    ...(remarks[name] ? [remarks[name]()] : []),
  ].join('\n\n');
}

/** A command line that is too long for docs/cli.md, continued on a second line. */
function shortLines(line: string): string {
  if (line.length <= 120) return line;
  const at = line.lastIndexOf(' ', 118);
  return `${line.slice(0, at)} \\\n  ${line.slice(at + 1)}`;
}

/** The groups of settings that a command accepts. */
function settingsOfCommand({ groups: accepted }: Command): readonly string[] {
  if (accepted.length === 0) return [];
  if (accepted.length === groupNames.length) return ['Settings: [all](settings.md).'];
  const links = accepted.map((group) => headingLink(groups[group], { page: 'settings.md' }));
  return [paragraph(`Settings: ${links.join('; ')}.`)];
}

function chatRemarks(): string {
  const items = slashCommands.map(({ name, argument, summary }) => {
    const usage = argument === undefined ? `/${name}` : `/${name} ${argument}`;
    return listItem(`${code(usage)}: ${fromPlainText(summary)}.`);
  });
  return `\`conch chat\` works with every running server that has OpenAI's API. If the server is unreachable, it prints how to
start one. Without a model, it uses the first one that can chat. The API key is \`--api-key\`, else \`CONCH_API_KEY\`,
else \`OPENAI_API_KEY\`.

### Conversation

On a terminal, \`conch chat\` is a conversation. Each line is a message.

- **Several lines**: end a line with \`\\\`, put the message between \`"""\` and \`"""\`, or paste it.
- **Ctrl-C** stops the response, not the program. The received part stays in the conversation. At the prompt, Ctrl-C
  deletes what you typed. At an empty prompt, press it twice to exit, or press Ctrl-D.
- **Arrow keys** show earlier lines, also those of earlier chats. Conch stores them in \`chat-history\` in the cache
  folder (\`CONCH_CACHE\`), unless you set \`--no-history\`.
- **Reasoning** is dimmed.
- **Tool calls** are shown with their arguments. Conch does not run them.
- **Control characters** in a response are shown and have no effect on the terminal.

### Chat commands

${items.join('\n')}

To send a message that begins with a slash, write two slashes. \`/save\` writes JSON that only the owner of the file can
read. It overwrites conversations that were saved before, and no other file. \`/load\` restores messages, system message
and fields. The model stays the same.

### One prompt

With a prompt, \`conch chat\` prints one response and exits, so you can use it in pipes. Write the prompt after the model
or after \`--\`, or send it to standard input. Piped input is appended to the prompt. Only the response goes to standard
output. On a terminal or with \`--reasoning\`, its reasoning goes there too.`;
}

const completionRemarks = `Conch generates the scripts from the same tables that it parses the command line with. They complete commands, flags,
files, folders, and the values of flags that have a fixed list. The tests run the script for bash. They compare those
for zsh and fish with stored copies, and do not run them.`;
