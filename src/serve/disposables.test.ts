import { expect, it } from 'vitest';
import { withDisposables } from './disposables.ts';

it('closes resources when a later step fails, and leaves them open when none does', async () => {
  const closed: string[] = [];
  const thing = (name: string) => ({ close: () => closed.push(name) });
  const open = await withDisposables(async (disposables) => {
    disposables.add(thing('open'));
    return disposables;
  });
  const failing = withDisposables(async (disposables) => {
    disposables.add(thing('first'));
    disposables.add(thing('second'));
    throw new Error('third');
  });
  await expect(failing).rejects.toThrow('third');
  expect(closed).toEqual(['first', 'second']);
  await open.close();
  expect(closed).toEqual(['first', 'second', 'open']);
});
