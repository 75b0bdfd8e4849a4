import { expect, it } from 'vitest';
import { whole } from './disposables.ts';

it('closes what was opened where a later step fails, and leaves it open where none does', async () => {
  const closed: string[] = [];
  const thing = (name: string) => ({ close: () => closed.push(name) });
  const kept = await whole(async (opened) => {
    opened.add(thing('kept'));
    return opened;
  });
  const failing = whole(async (opened) => {
    opened.add(thing('first'));
    opened.add(thing('second'));
    throw new Error('third');
  });
  await expect(failing).rejects.toThrow('third');
  expect(closed).toEqual(['first', 'second']);
  await kept.close();
  expect(closed).toEqual(['first', 'second', 'kept']);
});
