import { z } from 'zod';
import type { Command } from '../../config/command.ts';
import { type CommandInput, ownFlags } from '../../config/load.ts';
import { plainWords, problemsOf } from '../../config/problem.ts';
import { longFlag, setting } from '../../config/setting.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { age, text } from '../../config/value-types.ts';
import { KeyEntry } from '../../keys/key-file.ts';
import { hashOf, newKey } from '../../keys/secrets.ts';
import type { Terminal } from '../../serve/terminal.ts';
import type { CliCommand } from '../command.ts';
import { changeKeyFile, fileFlag, keyFileOf, onlyName } from './key-file.ts';

const count = z.number().int().min(1).optional();

const flags = {
  file: fileFlag,
  allowModel: setting(z.array(text).default([]), 'Allow this model. * matches any text.', {
    placeholder: 'NAME',
    defaultText: 'all models',
  }),
  requestsPerMinute: setting(count, 'Limit the requests per minute.'),
  tokensPerMinute: setting(count, 'Limit the tokens per minute, of prompts and responses together.'),
  concurrent: setting(count, 'Limit the requests that run at the same time.'),
  expires: setting(text.optional(), 'Set when the key expires: a date like 2027-01-31, or an age like 12h or 30d.', {
    placeholder: 'WHEN',
    defaultText: 'never',
  }),
  priority: setting(z.boolean().default(false), 'Allow requests to set their priority.'),
  manage: setting(z.boolean().default(false), 'Allow a key with --allow-model to load and unload its models.'),
};

const definition: Command<typeof flags> = {
  name: 'keys create',
  summary: 'Create a key, print it once and store its hash in a key file',
  groups: [],
  flags,
  arguments: 'NAME',
  examples: [
    'conch keys create alice --file keys.yaml',
    "conch keys create app --file keys.yaml --allow-model 'llama*' --concurrent 8",
    'conch keys create bob --file keys.yaml --requests-per-minute 60 --expires 30d',
  ],
};

/** `conch keys create`: prints the key and stores only its hash. */
export const keysCreateCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const name = onlyName(input.positionals, definition.name);
  const values = ownFlags(input, definition);
  const file = keyFileOf(values.file, input.settings);
  const key = newKey();
  const entry = checked({
    name,
    hash: hashOf(key),
    ...(values.allowModel.length === 0 ? {} : { models: values.allowModel }),
    requests_per_minute: values.requestsPerMinute,
    tokens_per_minute: values.tokensPerMinute,
    concurrent: values.concurrent,
    expires: values.expires === undefined ? undefined : endOf(values.expires),
    ...(values.priority ? { priority: true } : {}),
    ...(values.manage ? { manage: true } : {}),
  });
  // Undefined values have no line in the file.
  const plain = JSON.parse(JSON.stringify(entry)) as KeyEntry;
  await changeKeyFile(file, { mayBeMissing: true }, ({ document, keys }) => {
    if (keys.some((other) => other.name.toLowerCase() === name.toLowerCase()))
      throw new SettingsError([
        `${file} already has a key named ${name}. Choose another name, or revoke that key first.`,
      ]);
    if (keys.length > 0) document.addIn(['keys'], document.createNode(plain));
    else if (document.contents === null) document.contents = document.createNode({ keys: [plain] });
    else document.setIn(['keys'], document.createNode([plain]));
  });
  terminal.err(`Stored the hash of the key ${name} in ${file}. The key itself is shown only once:`);
  terminal.out(key);
  return 0;
}

/** The end of an age as a date, or the date as it is. */
function endOf(written: string): string {
  const seconds = age.safeParse(written);
  // A bare number is not an age here: 2027 would expire in half an hour.
  if (!seconds.success || /^\d+$/.test(written)) return written;
  return new Date(Date.now() + seconds.data * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

function checked(entry: unknown): KeyEntry {
  const read = KeyEntry.safeParse(entry, { error: plainWords });
  if (read.success) return read.data;
  const found = problemsOf(read.error, { schema: KeyEntry, input: entry, secret: false });
  throw new SettingsError(
    found.map(({ path: [field], text: words }) => `${field === 'name' ? 'NAME' : longFlag(String(field))} ${words}`),
  );
}
