import { repeats, settingsOf } from './help.ts';
import { modelTable } from './model-settings.ts';
import {
  defaultTextOf,
  fileKey,
  flagsOf,
  type Group,
  groupNames,
  groups,
  kindOf,
  longFlag,
  placeholdersOf,
  type Setting,
  variablesOf,
} from './setting.ts';
import { settingTable } from './settings.ts';

/** A file with settings, as the docs show it and the tests load it. */
export const exampleFile = `triton:
  - gpu-1:8001
  - gpu-2:8001
port: 9000
api_key: choose-one-of-your-own
openai_restricted_api:
  - { apis: [model-repository, metrics], header: admin-key, value: choose-another }
tokenizer: ./tokenizers/llama3
models:
  qwen3:
    tokenizer: Qwen/Qwen3-8B
    context_length: 32768
    defaults: { temperature: 0.7, top_p: 0.8 }
  gpt-4o-mini:
    serves: llama3
    defaults: { max_tokens: 512 }
`;

/** The whole of docs/settings.md. */
export function settingsPage(): string {
  const sections = [
    opening(),
    ...groupNames.map((group) => `## ${groups[group]}\n\n${settingRows(group)}`),
    `${modelOpening}\n\n${modelRows()}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const opening = () => `# Settings

This page is written by \`node scripts/generate-docs.mjs\` from the schema in \`src/config/\`. Change it there.

A setting can be given in a file (\`--config conch.yaml\`), as a variable or as a flag. A variable is stronger than the
file, a flag is stronger than a variable. \`conch --check\` checks all of them and the files that they name, and exits. A
mistake ends the start with exit code 2, and every mistake has a line that says where it stands: the flag, the variable,
or file, line and column. That holds for misspelt names too, and for a value that a stronger one overrides.

- **Durations** are written \`500ms\`, \`2s\`, \`5m\`, \`1h\`, or as a number of seconds.
- **Sizes** are written \`512KiB\`, \`64MiB\`, \`1GiB\`, or as a number of bytes.
- **Switches** are \`--flag\`, \`--no-flag\` or \`--flag=false\`, and \`true\` or \`false\` elsewhere.
- **Lists** are flags that repeat, texts with commas in a variable, and lists in the file. The stronger source gives the
  whole list. Of any other flag that repeats, the last one holds. A flag with several arguments takes them as one text
  too, and so do the variable, where \`;\` or a new line parts two of them, and the file.
- **Empty variables** count as not set. A \`CONCH_\` variable that is not on this page is an error, except for those that
  Kubernetes sets by itself for a service called \`conch\`, and for \`CONCH_TEST_…\`, which our own tests use.
- **Paths** in the file begin at the file's own folder, all others where Conch was started. \`~/\` is the home folder.
  For a tokenizer, \`./name\` is a folder, \`name\` and \`organisation/name\` are names on the Hugging Face hub.
- **Keys** in the file may have \`-\` for \`_\`. The file is YAML or JSON.
- **Secrets** are never printed.

\`\`\`yaml
${exampleFile}\`\`\`

## While it runs

\`conch\` reads the file again when it changes: written in place, replaced by another file, or behind a link that leads
elsewhere, as Kubernetes mounts a ConfigMap. SIGHUP makes it read the file too, unless it runs in a terminal. Flags and
variables stay stronger than the file, and requests that run keep what they began with. The log says what changed.

- **At once:** all of \`models\`, and ${list(liveKeys())}.
- **With a restart:** everything else. A change there is named in a warning, and the old value holds.
- **A mistake** in the file, or in a file that it names, changes nothing: the log has the lines that the start would have
  ended with. A file that is gone changes nothing either.`;

function liveKeys(): readonly string[] {
  return Object.entries<Setting>(settingTable)
    .filter(([, { live }]) => live)
    .map(([name]) => fileKey(name));
}

const modelOpening = `## One model

A flag with \`[MODEL=]\` sets the value for all models, or for one: \`--tokenizer qwen3=./qwen3\`. What stands before the
first \`=\` is a model's name unless it holds a \`/\` or a \`\\\`, so \`./a=b\` is a folder, and a model with a slash in its name
is set in the file. In a variable, a comma parts the models: \`CONCH_TOKENIZER=llama3=./llama3,qwen3=./qwen3\`.

In the file, \`models:\` holds a map for each served name. A name with \`serves\` is an alias; what is not set for it comes
from the model that it serves, and then from the settings for all models. \`defaults\` are put together field by field, and
\`chat_template_kwargs\` in them as one.

- An alias must serve a model of a server, not another alias. One whose model no server has is shown as missing, and is a 404.
- An alias comes before a model of the same name: that model is not offered, and the model table says so.
- An alias is listed under \`/v1/models\` with its model as \`root\`, and answers carry the name that was asked for. Behind it may
  stand a LoRA adapter: \`gpt-4o-mini_lora_french\`.
- How a model is spoken to (\`contract\`, \`engine_dir\`, \`cancel_with\`) is set for the model itself.`;

function settingRows(group: Group): string {
  const rows = Object.entries(settingsOf(group)).map(([name, setting]) => [
    flagCell(name, setting),
    list(variablesOf(name, setting)),
    setting.file === false ? '' : code(fileKey(name)),
    defaultTextOf(setting) ?? '',
    `${setting.help}${repeats(setting) ? ' Repeatable.' : ''}${setting.secret ? ' Secret.' : ''}`,
  ]);
  return markdownTable(['Flag', 'Variable', 'Key', 'Default', 'Meaning'], rows);
}

function modelRows(): string {
  const rows = Object.entries<Setting>(modelTable).map(([name, setting]) => [
    code(fileKey(name)),
    setting.perModel ? code(longFlag(name)) : '',
    setting.perModel ? 'the setting for all models' : (defaultTextOf(setting) ?? ''),
    setting.help,
  ]);
  return markdownTable(['Key', 'Flag', 'Default', 'Meaning'], rows);
}

function flagCell(name: string, setting: Setting): string {
  const value = kindOf(setting.schema) === 'boolean' ? '' : ` ${placeholdersOf(setting).join(' ')}`;
  const [first, ...others] = flagsOf(name, setting);
  return first === undefined ? '' : list([`${first}${value}`, ...others]);
}

function list(words: readonly string[]): string {
  return words.map(code).join(', ');
}

function code(word: string): string {
  return `\`${word}\``;
}

/** A table in Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
