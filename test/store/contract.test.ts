import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/responses/store/open-store.ts';
import type { ResponseStore, StoredResponse, StoreLimits } from '../../src/responses/store/response-store.ts';
import { kinds, now, responseOfSize, wide } from './locations.ts';

function stored(id: string, value: Partial<StoredResponse> = {}): StoredResponse {
  return {
    id,
    owner: 'ann',
    created: now(),
    previousId: null,
    response: { id, object: 'response', output: [{ type: 'message', text: `answer of ${id}` }], metadata: {} },
    input: [{ id: `msg_${id}`, type: 'message', role: 'user', content: 'hi' }],
    ...value,
  };
}

describe.each(kinds)('a store in $kind', ({ isLeftOut, locations }) => {
  describe.skipIf(isLeftOut)('when it is there', () => {
    const all = locations();
    const open: ResponseStore[] = [];
    beforeAll(() => all.begin());
    afterEach(async () => {
      await Promise.all(open.splice(0).map((store) => store.close()));
    });
    afterAll(() => all.end());

    async function storeAt(location: string, limits: Partial<StoreLimits> = {}): Promise<ResponseStore> {
      const store = await openStore(location, { ...wide, ...limits }, (error) => expect.unreachable(error.message));
      open.push(store);
      return store;
    }

    async function close(store: ResponseStore): Promise<void> {
      open.splice(open.indexOf(store), 1);
      await store.close();
    }

    it('gives back what was saved, to its owner alone', async () => {
      const store = await storeAt(all.place());
      const response = stored('resp_1', { previousId: 'resp_0' });
      await store.save(response);
      expect(await store.find('ann', 'resp_1')).toEqual(response);
      expect(await store.find('ann', 'resp_2')).toBeUndefined();
      expect(await store.find('bob', 'resp_1')).toBeUndefined();
      expect(await store.find('', 'resp_1')).toBeUndefined();
      expect(await store.conversation('bob', 'resp_1')).toBeUndefined();
      expect(await store.delete('bob', 'resp_1')).toBe(false);
      expect(await store.find('ann', 'resp_1')).toEqual(response);
    });

    it('keeps every character, and texts of megabytes', async () => {
      const store = await storeAt(all.place());
      const text = '\0 \ud800 "\\ 東京 🐚 \u2028 ';
      const response = stored('resp_1', {
        response: { text, 'key \0': [null, true, 1e-7] },
        input: [{ id: 'msg_1', content: text.repeat(300_000) }],
      });
      await store.save(response);
      expect(await store.find('ann', 'resp_1')).toEqual(response);
    });

    it('has it after it was opened anew', async () => {
      const location = all.place();
      const store = await storeAt(location);
      await store.save(stored('resp_1'));
      await close(store);
      expect(await (await storeAt(location)).find('ann', 'resp_1')).toEqual(
        stored('resp_1', { created: expect.any(Number) }),
      );
    });

    it('replaces a response of the same owner, never that of another', async () => {
      const store = await storeAt(all.place());
      const [first, second, other] = [
        stored('resp_1'),
        stored('resp_1', { response: { status: 'completed' }, input: [], created: now() - 5 }),
        stored('resp_1', { owner: 'bob', response: { mine: true } }),
      ] as const;
      await store.save(first);
      await store.save(other);
      await store.save(second);
      expect(await store.find('ann', 'resp_1')).toEqual(second);
      expect(await store.find('bob', 'resp_1')).toEqual(other);
      expect(await store.delete('bob', 'resp_1')).toBe(true);
      expect(await store.find('ann', 'resp_1')).toEqual(second);
    });

    it('deletes once', async () => {
      const store = await storeAt(all.place());
      await store.save(stored('resp_1'));
      expect(await store.delete('ann', 'resp_1')).toBe(true);
      expect(await store.delete('ann', 'resp_1')).toBe(false);
      expect(await store.find('ann', 'resp_1')).toBeUndefined();
    });

    it('knows no id that none can have', async () => {
      const store = await storeAt(all.place());
      await store.save(stored('resp_1'));
      for (const id of ['', 'resp_1\0', '\0', "resp_1' OR 1=1 --", '\ud800', 'x'.repeat(100_000)]) {
        expect(await store.find('ann', id)).toBeUndefined();
        expect(await store.conversation('ann', id)).toBeUndefined();
        expect(await store.delete('ann', id)).toBe(false);
      }
    });

    it('gives a conversation from its first response to the one that is asked for', async () => {
      const store = await storeAt(all.place());
      const chain = [stored('a'), stored('b', { previousId: 'a' }), stored('c', { previousId: 'b' })];
      const branch = stored('d', { previousId: 'b' });
      await Promise.all([...chain, branch].map((response) => store.save(response)));
      expect(await store.conversation('ann', 'c')).toEqual(chain);
      expect(await store.conversation('ann', 'd')).toEqual([...chain.slice(0, 2), branch]);
      expect(await store.conversation('ann', 'a')).toEqual([chain[0]]);
      expect(await store.conversation('ann', 'e')).toBeUndefined();
    });

    it('has no conversation where a response is gone or is of another owner', async () => {
      const store = await storeAt(all.place());
      await store.save(stored('a'));
      await store.save(stored('b', { previousId: 'a' }));
      await store.save(stored('c', { previousId: 'b' }));
      await store.save(stored('stolen', { previousId: 'c', owner: 'bob' }));
      expect(await store.conversation('bob', 'stolen')).toBeUndefined();
      await store.delete('ann', 'a');
      expect(await store.conversation('ann', 'c')).toBeUndefined();
    });

    it('ends on responses that go on from each other', async () => {
      const store = await storeAt(all.place());
      await store.save(stored('a', { previousId: 'c' }));
      await store.save(stored('b', { previousId: 'a' }));
      await store.save(stored('c', { previousId: 'b' }));
      await store.save(stored('self', { previousId: 'self' }));
      expect(await store.conversation('ann', 'b')).toBeUndefined();
      expect(await store.conversation('ann', 'self')).toBeUndefined();
    });

    it('gives conversations of 10,000 responses and no longer ones', async () => {
      const store = await storeAt(all.place());
      const ids = Array.from({ length: 10_001 }, (_, at) => `resp_${at}`);
      // By one connection's queue at a time: PostgreSQL waits for a free connection only so long.
      for (let at = 0; at < ids.length; at += 500) {
        const some = ids.slice(at, at + 500);
        await Promise.all(
          some.map((id, index) => store.save(stored(id, { previousId: ids[at + index - 1] ?? null, input: [] }))),
        );
      }
      const conversation = await store.conversation('ann', 'resp_9999');
      expect(conversation?.map(({ id }) => id)).toEqual(ids.slice(0, 10_000));
      expect(await store.conversation('ann', 'resp_10000')).toBeUndefined();
    }, 120_000);

    it('does not find what is too old, in no way, and removes it', async () => {
      const location = all.place();
      const store = await storeAt(location, { maxAge: 100 });
      const old = stored('old', { created: now() - 101 });
      const young = stored('young', { created: now() - 50, previousId: 'old' });
      await store.save(old);
      await store.save(young);
      expect(await store.find('ann', 'old')).toBeUndefined();
      expect(await store.delete('ann', 'old')).toBe(false);
      expect(await store.conversation('ann', 'young')).toBeUndefined();
      expect(await store.find('ann', 'young')).toEqual(young);
      await close(store);
      await close(await storeAt(location, { maxAge: 100 }));
      const later = await storeAt(location);
      expect(await later.find('ann', 'old')).toBeUndefined();
      expect(await later.find('ann', 'young')).toEqual(young);
    });

    it('removes the oldest when there is too much, as soon as it is written and at the start', async () => {
      const location = all.place();
      const store = await storeAt(location, { maxSize: 5000 });
      // The third is older than those before it.
      const created = [40, 30, 50, 20, 10, 5, 0].map((seconds) => now() - seconds);
      for (const [at, time] of created.entries()) {
        await store.save(responseOfSize(1000, { id: `resp_${at}`, created: time }));
      }
      await close(store);
      expect(await presentIn(location)).toEqual(['resp_1', 'resp_3', 'resp_4', 'resp_5', 'resp_6']);
      await close(await storeAt(location, { maxSize: 2000 }));
      expect(await presentIn(location)).toEqual(['resp_5', 'resp_6']);
    });

    it('counts what is replaced and deleted, not what was', async () => {
      const location = all.place();
      const store = await storeAt(location, { maxSize: 3000 });
      await store.save(responseOfSize(1000, { id: 'resp_0' }));
      for (let round = 0; round < 5; round++) await store.save(responseOfSize(1900, { id: 'resp_1' }));
      await store.save(responseOfSize(1000, { id: 'resp_1' }));
      await store.save(responseOfSize(1000, { id: 'resp_2' }));
      await store.delete('ann', 'resp_2');
      await store.save(responseOfSize(1000, { id: 'resp_3' }));
      await close(store);
      expect(await presentIn(location)).toEqual(['resp_0', 'resp_1', 'resp_3']);
    });

    it('refuses a response that is larger than all together may be', async () => {
      const store = await storeAt(all.place(), { maxSize: 5000 });
      await store.save(responseOfSize(5000, { id: 'resp_0' }));
      await expect(store.save(responseOfSize(5001, { id: 'resp_1' }))).rejects.toMatchObject({
        code: 'request_too_large',
        param: 'store',
        message:
          'store: the response and its input have 5001 bytes, more than the limit of the store (5000 bytes). Send store: false.',
      });
      expect(await store.find('ann', 'resp_0')).toBeDefined();
    });

    it('does all that was asked before it was closed', async () => {
      const location = all.place();
      const store = await storeAt(location);
      const saves = Array.from({ length: 100 }, (_, at) => store.save(responseOfSize(1000, { id: `resp_${at}` })));
      await Promise.all([...saves, close(store)]);
      expect(await presentIn(location)).toHaveLength(7);
      await expect(store.save(stored('late'))).rejects.toMatchObject({ code: 'store_unavailable' });
    });

    async function presentIn(location: string): Promise<string[]> {
      const store = await storeAt(location);
      const ids = ['resp_0', 'resp_1', 'resp_2', 'resp_3', 'resp_4', 'resp_5', 'resp_6'];
      const found = await Promise.all(ids.map((id) => store.find('ann', id)));
      await close(store);
      return ids.filter((_, at) => found[at] !== undefined);
    }
  });
});
