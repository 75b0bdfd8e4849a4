import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { helpText } from '../../src/config/help.ts';
import { inRoot } from '../support/environment.ts';
import { pages } from './read-snippets.ts';

/** Flags of programs that the pages talk of beside Conch. */
const foreign = new Set([
  '--grpc-restricted-protocol',
  '--http-restricted-api',
  '--log-verbose',
  '--allow-http',
  '--http-port',
  '--gather_generation_logits',
  '--omit',
  '--input-file',
  '--gateway',
  '--no-git-tag-version',
  '--sign',
  '--verify',
  '--provenance',
  '--access',
  '--stop-timeout',
  '--project',
  '--run',
  // Of Node and of V8.
  '--snapshot-blob',
  '--max-semi-space-size',
  '--v8-pool-size',
  // The examples of docs/contributing/add-a-setting.md.
  '--x',
  '--login-timeout',
]);

/** Flags of the clients, on the pages about them. */
const clientFlags: Readonly<Record<string, readonly string[]>> = {
  aider: ['--edit-format', '--weak-model'],
  'claude-code': ['--continue'],
  codex: ['--oss', '--output-schema'],
  continue: ['--print', '--resume'],
  'gemini-cli': ['--prompt', '--resume', '--skip-trust'],
  opencode: ['--continue'],
  'qwen-code': ['--prompt', '--continue'],
};

/** The flags of the client that a page is about. */
function flagsOfClient(page: string): readonly string[] {
  return clientFlags[/^docs\/clients\/(.*)\.md$/.exec(page)?.[1] ?? ''] ?? [];
}

const [first, ...others] = commands.map(({ definition }) => definition);
if (first === undefined) throw new Error('There are no commands.');
const helps = [first, ...others].map(({ name }) =>
  helpText({ commands: [first, ...others], command: name, width: 10_000 }),
);
const known = new Set(flagsIn([...helps, readFileSync(inRoot('docs/settings.md'), 'utf8')].join('\n')));

function flagsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([flag]) => flag);
}

/** The text of a page that is about Conch, without snippets (tests run them) and without commands of bench/. */
function textOf(page: string): string {
  const text = readFileSync(inRoot(page), 'utf8')
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .replaceAll(/`[^`]*(?:npm run bench|node bench\/)[^`]*`/g, '');
  // There, the other columns of the tables are about vLLM.
  return page === 'docs/migrating-from-vllm.md' ? text.replaceAll(/^\|.*\|(.*)\|$/gm, '$1') : text;
}

it.each(pages())('%s names no flag that does not exist', (page) => {
  const text = textOf(page);
  const others = new Set([...foreign, ...flagsOfClient(page)]);
  const isKnown = (flag: string) => known.has(flag) || known.has(flag.replace('--no-', '--')) || others.has(flag);
  expect(flagsIn(text).filter((flag) => !isKnown(flag))).toEqual([]);
});
