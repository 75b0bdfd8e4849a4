import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { inRoot, pythonProgram } from '../support/environment.ts';
import { post } from '../support/gateway.ts';
import { type Outcome, runProgram } from '../support/program.ts';
import type { Snippet } from './read-snippets.ts';
import type { Workplace } from './workplace.ts';

/** Runs the snippets of one language; the signal ends one that runs on. */
type Runner = (snippet: Snippet, workplace: Workplace, signal: AbortSignal) => Promise<Outcome>;

const shell: Runner = ({ text }, workplace, signal) =>
  inWorkplace(workplace, ['bash', '-euo', 'pipefail', '-c', workplace.placed(text)], signal);

const script =
  (program: () => string, ending: string): Runner =>
  ({ text }, workplace, signal) => {
    const file = join(workplace.folder, `snippet.${ending}`);
    writeFileSync(file, workplace.placed(text));
    return inWorkplace(workplace, [program(), file], signal);
  };

const javaScript = script(() => process.execPath, 'mjs');

/** A file of settings, or a file of keys. */
const yaml: Runner = ({ text }, { folder }, signal) => {
  const file = join(folder, 'conch.yaml');
  writeFileSync(file, text);
  const isKeyFile = 'keys' in (parse(text) as object);
  const words = isKeyFile ? ['keys', 'list', '--file', file] : ['--config', file, '--check'];
  return runProgram(process.execPath, [inRoot('dist/main.js'), ...words], { signal });
};

/** The body of a request; the comment before it says of which. */
const json: Runner = async ({ text, postedTo, location }, { conch }) => {
  if (postedTo === undefined) throw new Error(`${location}: no comment says where this is posted to.`);
  const response = await post(`${conch.url}${postedTo}`, text);
  return { code: response.status === 200 ? 0 : response.status, stdout: response.text, stderr: '' };
};

const runners: Readonly<Record<string, Runner>> = {
  bash: shell,
  sh: shell,
  python: script(pythonProgram, 'py'),
  js: javaScript,
  ts: javaScript,
  yaml,
  json,
};

/** Whether something can be done with snippets of this language. */
export function canRun({ language }: Snippet): boolean {
  return runners[language] !== undefined;
}

/** Runs a snippet; one that fails ends with another code than 0. */
export function runSnippet(snippet: Snippet, workplace: Workplace, signal: AbortSignal): Promise<Outcome> {
  const runner = runners[snippet.language];
  if (!runner) throw new Error(`${snippet.location}: nobody knows how to run ${snippet.language || 'this'}.`);
  return runner(snippet, workplace, signal);
}

function inWorkplace(
  { folder, path }: Workplace,
  [program, ...words]: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<Outcome> {
  const environment = {
    PATH: path,
    PATH_BEFORE: process.env['PATH'],
    NODE: process.execPath,
    CONCH_TEST_MAIN: inRoot('dist/main.js'),
    OPENAI_API_KEY: 'none',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return runProgram(program, words, { folder, environment, signal });
}
