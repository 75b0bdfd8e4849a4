import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/responses/store/open-store.ts';
import { kinds, wide } from './locations.ts';
import { savedByChild, startChild } from './saving-child.ts';

/** Lets a child save until it has printed so many ids, and kills it; gives all that it printed. */
async function completedUntilKilled(location: string, count: number): Promise<string[]> {
  const child = startChild({ location, prefix: 'resp_' });
  const closed = once(child, 'exit');
  const completed: string[] = [];
  for await (const id of createInterface({ input: child.stdout })) {
    completed.push(id);
    if (completed.length === count) child.kill('SIGKILL');
  }
  expect(await closed).toEqual([null, 'SIGKILL']);
  return completed;
}

describe.each(kinds)('processes with one store in $kind', ({ isLeftOut, locations }) => {
  describe.skipIf(isLeftOut)('when it is there', () => {
    const all = locations();
    beforeAll(() => all.begin());
    afterAll(() => all.end());

    it.each([1, 50, 333])(
      'has every answered response whole after SIGKILL at answer %i, and none half',
      async (count) => {
        const location = all.place();
        const completed = await completedUntilKilled(location, count);
        expect(completed.length).toBeGreaterThanOrEqual(count);
        const store = await openStore(location, wide);
        try {
          for (const id of completed) expect(await store.find('ann', id)).toEqual(savedByChild(id));
          // Those that were being saved are there whole, or not at all.
          for (let at = 0; at < completed.length + 200; at++) {
            const id = `resp_${at}`;
            expect([savedByChild(id), undefined]).toContainEqual(await store.find('ann', id));
          }
          await store.save(savedByChild('after'));
          expect(await store.find('ann', 'after')).toEqual(savedByChild('after'));
        } finally {
          await store.close();
        }
      },
    );

    it('lets four processes make it at once and save side by side', async () => {
      const location = all.place();
      const prefixes = ['a', 'b', 'c', 'd'];
      const printed = await Promise.all(
        prefixes.map(async (prefix) => {
          const child = startChild({ location, prefix, count: 150 });
          const [ids, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
          return { ids: ids.trim().split('\n').toSorted(), code };
        }),
      );
      const expected = prefixes.map((prefix) => Array.from({ length: 150 }, (_, at) => `${prefix}${at}`));
      expect(printed).toEqual(expected.map((ids) => ({ ids: ids.toSorted(), code: 0 })));
      const store = await openStore(location, wide);
      try {
        for (const id of expected.flat()) expect(await store.find('ann', id)).toEqual(savedByChild(id));
      } finally {
        await store.close();
      }
    });
  });
});
