import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, by the report of durations at the end of a run. */
const longest = [
  'kserve/clients',
  'security/schemathesis',
  'manage/on-demand',
  'reliability/failed-engines',
  'reliability/workers',
  'managed/managed',
  'trtllm/commands',
  'docs/snippets',
  'page/chat',
];

/** Begins with the longest files, so that no core waits for one of them at the end; a fresh clone knows no durations. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
  return rank === -1 ? longest.length : rank;
}
