import { code, codeList, fromPlainText, headingLink, listItem, paragraph } from '../markdown.ts';
import { repeats, settingsOf } from './help.ts';
import { modelTable } from './model-settings.ts';
import {
  defaultTextOf,
  fileKey,
  flagsOf,
  groupNames,
  groups,
  kindOf,
  longFlag,
  placeholdersOf,
  type Setting,
  variablesOf,
} from './setting.ts';

/** The configuration file that the docs show and the tests load. */
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
    opening,
    groupList(),
    ...groupNames.flatMap((group) => [
      `## ${groups[group]}`,
      ...Object.entries<Setting>(settingsOf(group)).map(([name, setting]) => settingSection(name, setting)),
    ]),
    modelOpening,
    modelKeys(),
  ];
  return `${sections.join('\n\n')}\n`;
}

const modelHeading = 'Settings of one model';

const opening = `# Settings

This page lists every setting of Conch with its flag, environment variable, configuration key and default.
\`npm run docs\` generates it from \`src/config/\`.

Set a value with a flag, with an environment variable, or in a configuration file:

\`\`\`sh
conch --triton localhost:8001 --port 9100
CONCH_PORT=9100 conch --triton localhost:8001
\`\`\`

\`\`\`yaml
${exampleFile}\`\`\`

Start with \`conch --config conch.yaml\`. Add \`--check\` to check all settings, and the files that they name, without
starting.

## Precedence and errors

A flag overrides an environment variable. An environment variable overrides the configuration file.

An invalid setting ends the start with exit code 2. Conch prints one line per problem with its place: the flag, the
environment variable, or the file with line and column. It also reports misspelt names, and invalid values that another
source overrides.

## Values

- **Durations**: \`500ms\`, \`2s\`, \`5m\`, \`1h\`, or a number of seconds.
- **Sizes**: \`512KiB\`, \`64MiB\`, \`1GiB\`, or a number of bytes.
- **Switches**: \`--flag\`, \`--no-flag\` or \`--flag=false\`. In environment variables and in the file: \`true\` or
  \`false\`.
- **Lists**: repeat the flag, separate the values with commas in an environment variable, or write a list in the file.
  The source with the highest precedence defines the whole list. If you repeat a flag that is not a list, Conch uses
  the last value.
- **Flags with several arguments** also accept them as one text. So do the environment variable and the file. In the
  environment variable, \`;\` or a new line separates several of these texts.
- **Environment variables**: an empty one counts as not set. Conch rejects a \`CONCH_…\` name that is not on this
  page. Exceptions are those that Kubernetes sets for a service called \`conch\`, and \`CONCH_TEST_…\`, which Conch's
  own tests use.
- **Paths** in the file are relative to the folder of the file. All others are relative to the folder in which Conch was
  started. \`~/\` is the home folder.
- **Tokenizers**: \`./name\` is a folder. \`name\` and \`organisation/name\` are names on the Hugging Face hub.
- **Keys** of the file may have \`-\` instead of \`_\`. The file is YAML or JSON.

A setting can have these properties:

- **repeatable**: you can repeat the flag.
- **live**: a change in the configuration file takes effect without a restart.
- **secret**: Conch never prints the value.

## Reload

Conch reloads the configuration file when it changes. It detects a file that was edited or replaced, and a link that
leads to another file, as when Kubernetes updates a ConfigMap. SIGHUP reloads the file too, unless Conch runs in a
terminal. Flags and environment variables still override the file. Running requests keep their settings. The log lists
the changes.

- **Live settings** take effect at once, and so does everything under \`models\`.
- **Other settings** need a restart. Conch keeps the old value and logs a warning that names the setting.
- **Invalid files**: if the file, or a file that it names, is invalid, nothing changes. The log has the lines that
  Conch would print at the start. If the file is missing, nothing changes either.`;

function groupList(): string {
  const headings = [...groupNames.map((group) => groups[group]), modelHeading];
  return ['## Groups', headings.map((heading) => listItem(headingLink(heading))).join('\n')].join('\n\n');
}

const modelOpening = `## ${modelHeading}

A flag with \`[MODEL=]\` sets the value for all models, or for one model:

\`\`\`sh
conch --triton localhost:8001 --tokenizer qwen3=./tokenizers/qwen3
\`\`\`

- The text before the first \`=\` is the name of a model, unless it contains \`/\` or \`\\\`. For example, \`./a=b\` is a
  folder. If the name of a model has a slash, set its values in the configuration file.
- In an environment variable, commas separate the models: \`CONCH_TOKENIZER=llama3=./llama3,qwen3=./qwen3\`.

In the configuration file, \`models:\` has a map for each served name. A name with \`serves\` is an alias. If the alias
does not set a key, the key of the model that it serves applies, then the setting for all models. Conch merges
\`defaults\` field by field; \`chat_template_kwargs\` is one field.

- An alias must serve a model of a server, not another alias. If no server has the model, Conch shows the alias as
  missing, and requests for it are a 404.
- An alias takes precedence over a model of the same name. Conch does not serve that model, and the model table shows
  why.
- \`/v1/models\` lists an alias with its model as \`root\`. Responses have the name from the request.
- The name of a LoRA adapter can follow an alias: \`gpt-4o-mini_lora_french\`.
- Set \`contract\`, \`engine_dir\` and \`cancel_with\` for the model itself, not for an alias.`;

function modelKeys(): string {
  const keys = Object.entries<Setting>(modelTable);
  const own = keys.filter(([, { perModel }]) => !perModel);
  const shared = keys.filter(([, { perModel }]) => perModel);
  return [
    'These keys belong to one model:',
    own.map(([name, setting]) => listItem(`${code(fileKey(name))}: ${sentencesOf(setting)}`)).join('\n'),
    'These keys override the setting for all models:',
    shared.map(([name]) => listItem(headingLink(code(longFlag(name)), { text: code(fileKey(name)) }))).join('\n'),
  ].join('\n\n');
}

function settingSection(name: string, setting: Setting): string {
  const flags = flagsOf(name, setting);
  const variables = variablesOf(name, setting);
  const facts: [title: string, value: string][] = [
    ['Flag', flagList(name, setting)],
    [variables.length > 1 ? 'Environment variables' : 'Environment variable', codeList(variables)],
    ['Key', setting.file === false ? '' : code(fileKey(name))],
    ['Default', defaultOf(setting) ?? ''],
    ['Properties', propertiesOf(setting).join(', ')],
  ];
  const [heading = fileKey(name)] = [...flags, ...variables];
  return [
    `### ${code(heading)}`,
    facts
      .filter(([, value]) => value !== '')
      .map(([title, value]) => listItem(`${title}: ${value}`))
      .join('\n'),
    paragraph(fromPlainText(setting.help)),
  ].join('\n\n');
}

/** The flags of a setting, the first one with its value; empty if it has none. */
export function flagList(name: string, setting: Setting): string {
  const value = kindOf(setting.schema) === 'boolean' ? '' : ` ${placeholdersOf(setting).join(' ')}`;
  return codeList(flagsOf(name, setting).map((flag, at) => (at === 0 ? `${flag}${value}` : flag)));
}

function propertiesOf(setting: Setting): readonly string[] {
  return [
    ...(repeats(setting) ? ['repeatable'] : []),
    ...(setting.live ? ['live'] : []),
    ...(setting.secret ? ['secret'] : []),
  ];
}

/** The help text of a setting and its default, for an item of a list. */
export function sentencesOf(setting: Setting): string {
  const standard = defaultOf(setting);
  return `${fromPlainText(setting.help)}${standard === undefined ? '' : ` Default: ${standard}.`}`;
}

/** The default of a setting: a value as code, a description as text. */
function defaultOf(setting: Setting): string | undefined {
  const text = defaultTextOf(setting);
  if (text === undefined) return undefined;
  const isValue = setting.defaultText === undefined || /^\S*[\d_/]\S*$/.test(text);
  return isValue ? code(text) : fromPlainText(text);
}
