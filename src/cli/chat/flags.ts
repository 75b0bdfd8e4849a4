import { z } from 'zod';
import type { Command } from '../../config/command.ts';
import { setting } from '../../config/setting.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { text } from '../../config/value-types.ts';
import { clientFlags, clientProblems, requestField, urlFlag } from '../client-flags.ts';
import { ownFields } from './conversation.ts';

const flags = {
  url: urlFlag('http://127.0.0.1:9000', 'Chat with this server, with or without /v1 in its URL.'),
  ...clientFlags,
  system: setting(text.optional(), 'Set the system message.'),
  set: setting(
    z.array(requestField).default([]),
    'Set a field of every request, for example temperature=0.2. The value may be JSON.',
    { placeholder: 'NAME=VALUE' },
  ),
  reasoning: setting(z.boolean().optional(), "Show the model's reasoning before its response.", {
    defaultText: 'on in a terminal',
  }),
  stats: setting(
    z.boolean().default(false),
    'Show the tokens, time to first token and tokens per second after each response.',
  ),
  history: setting(
    z.boolean().default(true),
    'Store the typed lines in the cache folder for the next chat. --no-history stores and shows none.',
  ),
};

/** How `conch chat` is written. */
export const chatDefinition: Command<typeof flags> = {
  name: 'chat',
  summary: 'Chat with a model of a running server, or send it one prompt',
  groups: [],
  flags,
  arguments: '[MODEL] [PROMPT]',
  takesRest: true,
  exitCodes: { 1: 'The single prompt got no response.', 130: 'Interrupted.' },
  examples: [
    'conch chat',
    'conch chat llama3 --system "Be brief." --set temperature=0.2',
    'conch chat llama3 "What is a conch?"',
    'conch chat -- "What is a conch?"',
    'git diff --staged | conch chat llama3 "Write a commit message for this:"',
    'conch chat --url https://gpu-1.example.com --stats',
  ],
};

/** The values of its flags. */
export type ChatFlags = { readonly [K in keyof typeof flags]: z.output<(typeof flags)[K]['schema']> };

/** Finds contradictions between flags, and flags without an effect. Throws a SettingsError. */
export function checkChatFlags(flags: ChatFlags, flagNames: ReadonlySet<string>): void {
  const isPlain = flags.url.startsWith('http://');
  const problems = [
    ...clientProblems(flags),
    ...['ca', 'insecure']
      .filter((name) => isPlain && flagNames.has(name))
      .map((name) => `--${name} has no effect on a URL that begins with http://. Remove it.`),
    ...flags.set
      .filter(([name]) => ownFields.has(name))
      .map(([name]) => `--set: ${name} cannot be set. ${ownFields.get(name)}.`),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
}
