import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages, type Snippet, snippetsOf } from './read-snippets.ts';
import { canRun, runSnippet } from './run-snippet.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

const snippets = pages().flatMap(snippetsOf);
const run = snippets.filter(({ notRun }) => notRun === undefined);

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace();
}, 200_000);
afterAll(async () => {
  await workplace.leave();
  console.log(['Every snippet of the pages:', ...snippets.map(lineOf)].join('\n'));
});

function lineOf({ location, language, notRun }: Snippet): string {
  return `  ${location} ${language || 'plain'}: ${notRun === undefined ? 'run' : `not run: ${notRun}`}`;
}

describe('the snippets of the README, the docs and the examples', { timeout: 180_000 }, () => {
  it('are run, or say why they are not', () => {
    const unaccounted = run.filter((snippet) => !canRun(snippet));
    expect(unaccounted.map(({ location }) => location)).toEqual([]);
    expect(run.length).toBeGreaterThan(0);
  });

  it.for(run.filter(canRun).map((snippet) => [snippet.location, snippet.language, snippet] as const))(
    '%s (%s) does what it shows',
    async ([, , snippet], { signal }) => {
      const { code, stdout, stderr } = await runSnippet(snippet, workplace, signal);
      expect(code, `${snippet.text}\n${stderr}\n${stdout}`).toBe(0);
    },
  );
});
