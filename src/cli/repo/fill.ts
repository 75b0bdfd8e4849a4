import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Command } from '../../config/command.ts';
import { type CommandInput, ownFlags } from '../../config/load.ts';
import { didYouMean } from '../../config/nearest.ts';
import { setting } from '../../config/setting.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { text } from '../../config/value-types.ts';
import {
  type FilledTemplate,
  fillTemplate,
  parseSubstitutions,
  type UnfilledPlaceholder,
} from '../../repository/fill-template.ts';
import { reasonOf } from '../../repository/model-folder.ts';
import { readModelConfig } from '../../repository/pbtxt/model-config.ts';
import { TextFormatError } from '../../repository/pbtxt/text-format-error.ts';
import type { Terminal } from '../../serve/terminal.ts';
import type { CliCommand } from '../command.ts';

const flags = {
  inPlace: setting(z.boolean().default(false), 'Write the result to the file itself.', {
    short: 'i',
    aliases: ['in_place'],
  }),
  output: setting(text.optional(), 'Write the result to this file.', { short: 'o', placeholder: 'FILE' }),
  strict: setting(z.boolean().default(false), 'Write nothing and exit with code 1 if a value is left unfilled.'),
};

const definition: Command<typeof flags> = {
  name: 'repo fill',
  summary: "Fill the ${…} of a config.pbtxt template, like TensorRT-LLM's fill_template.py",
  groups: [],
  flags,
  arguments: 'FILE NAME:VALUE,NAME:VALUE…',
  exitCodes: { 1: 'A value is left unfilled (with --strict).' },
  examples: [
    'conch repo fill -i config.pbtxt decoupled_mode:true,engine_dir:/engines/llama3',
    'conch repo fill template.pbtxt max_batch_size:64 -o config.pbtxt --strict',
    "conch repo fill -i config.pbtxt 'gpu_device_ids:0\\,1'",
  ],
};

/** `conch repo fill`: fills a template, and warns about unfilled values. */
export const repoFillCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const { inPlace, output, strict } = ownFlags(input, definition);
  const [file, ...words] = input.positionals;
  if (file === undefined)
    throw new SettingsError(['conch repo fill needs a file. Write conch repo fill FILE NAME:VALUE,NAME:VALUE….']);
  if (inPlace && output !== undefined) throw new SettingsError(['-i and -o exclude each other. Set only one.']);
  const template = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new SettingsError([`Cannot read ${file}: ${reasonOf(error)}.`]);
  });
  const filled = fillTemplate(template, readValues(words));
  for (const warning of [...unknownNames(filled, { file, template }), ...remarks(filled, output ?? file)]) {
    terminal.err(`conch: ${warning}`);
  }
  if (strict && filled.unfilled.length > 0) return 1;
  const target = inPlace ? file : output;
  if (target === undefined) terminal.out(filled.text.replace(/\n$/, ''));
  else
    await writeFile(target, filled.text).catch((error: unknown) => {
      throw new SettingsError([`Cannot write ${target}: ${reasonOf(error)}.`]);
    });
  return 0;
}

function readValues(words: readonly string[]): ReadonlyMap<string, string> {
  try {
    return new Map(words.flatMap((word) => [...parseSubstitutions(word)]));
  } catch (error) {
    if (error instanceof RangeError) throw new SettingsError([error.message]);
    throw error;
  }
}

/** NVIDIA's tool allows filling a file twice, and scripts do: a name that the text contains is not an error. */
function unknownNames(
  { unknown, text: result }: FilledTemplate,
  { file, template }: { file: string; template: string },
): string[] {
  const names = [...template.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
  const strangers = unknown.filter((name) => !result.includes(name));
  if (strangers.length > 0) {
    throw new SettingsError(strangers.map((name) => `${file} has no \${${name}}.${didYouMean(name, names)}`));
  }
  return unknown.map((name) => `${file} has no \${${name}}: it is already filled, or not a value of the template.`);
}

function remarks({ unfilled, text: result }: FilledTemplate, file: string): string[] {
  if (unfilled.length > 0) return unfilled.map((left) => unfilledWarning(left, file));
  if (!file.endsWith('.pbtxt')) return [];
  try {
    readModelConfig(result, file);
    return [];
  } catch (error) {
    if (error instanceof TextFormatError) return [error.message];
    throw error;
  }
}

function unfilledWarning({ name, line, column, quoted }: UnfilledPlaceholder, file: string): string {
  const effect = quoted ? 'TensorRT-LLM treats it as not set' : 'the file is not valid until you fill it';
  return `${file}:${line}:${column}: \${${name}} is left unfilled: ${effect}.`;
}
