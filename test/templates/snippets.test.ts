import { expect, it } from 'vitest';
import { Evaluator } from '../../src/prompt/jinja/evaluate.ts';
import { globalScope } from '../../src/prompt/jinja/globals.ts';
import { Meter } from '../../src/prompt/jinja/scope.ts';
import { parseTemplate } from '../../src/prompt/jinja/syntax.ts';
import { askPython } from './python.ts';
import { snippets } from './snippets.ts';

function ours({ snippet, variables }: (typeof snippets)[number]): string {
  try {
    const scope = globalScope(variables, new Date());
    return new Evaluator(new Meter({ time: 1000 })).render(parseTemplate(snippet), scope);
  } catch {
    return '(refused)';
  }
}

it('gives what jinja2 gives for every snippet, and refuses what it refuses', async () => {
  const theirs = await askPython(snippets);
  const expected = snippets.map(({ snippet }, index) => [snippet, theirs[index]?.text ?? '(refused)']);
  expect(snippets.map((job) => [job.snippet, ours(job)])).toEqual(expected);
});
