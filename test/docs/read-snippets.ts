import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from '../support/environment.ts';

/** A fenced block of a page. */
export interface Snippet {
  /** Such as docs/api.md:12, the line of its fence. */
  readonly location: string;
  /** What stands behind the fence; empty where nothing does. */
  readonly language: string;
  readonly text: string;
  /** Why it is not run, where a comment before it says so. */
  readonly notRun: string | undefined;
  /** The path that it is a body for, where a comment before it says so. */
  readonly postedTo: string | undefined;
}

/** The pages whose snippets are accounted for: the README, docs/ with its folders, and the Markdown of the examples. */
export function pages(): readonly string[] {
  const inFolder = (folder: string) =>
    readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`);
  const all = ['README.md', ...inFolder('docs'), ...inFolder('examples')];
  return all.filter((name) => name.endsWith('.md')).toSorted();
}

/** All snippets of a page. */
export function snippetsOf(page: string): readonly Snippet[] {
  const snippets: Snippet[] = [];
  const lines = readFileSync(inRoot(page), 'utf8').split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, indent, fence, language] = /^( *)(`{3,})(\S*).*$/.exec(lines[at] ?? '') ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
    if (end < 0) throw new Error(`${page}:${at + 1}: this fence is never closed.`);
    const comment = commentBefore(lines, at);
    snippets.push({
      location: `${page}:${at + 1}`,
      language: language ?? '',
      text: `${lines
        .slice(at + 1, end)
        .map((line) => line.slice(indent?.length ?? 0))
        .join('\n')}\n`,
      notRun: /^<!-- not run: (.+) -->$/.exec(comment)?.[1],
      postedTo: /^<!-- posted to: (.+) -->$/.exec(comment)?.[1],
    });
    at = end;
  }
  return snippets;
}

/** The line right before a fence, or before the blank line that stands there. */
function commentBefore(lines: readonly string[], at: number): string {
  const before = lines[at - 1]?.trim() ?? '';
  return before === '' ? (lines[at - 2]?.trim() ?? '') : before;
}
