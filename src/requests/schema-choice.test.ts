import { expect, it } from 'vitest';
import { z } from 'zod';
import { schemaChoice } from './schema-choice.ts';

it('checks a value by the schema of its kind, and has all issues of that schema', () => {
  const size = z.object({ size: z.number(), colour: z.string() });
  const schema = schemaChoice((value): z.ZodType => (typeof value === 'string' ? z.string().min(2) : size));
  expect(schema.safeParse('ab')).toEqual({ success: true, data: 'ab' });
  expect(schema.safeParse({ size: 1, colour: 'red', more: 2 }).data).toEqual({ size: 1, colour: 'red' });
  expect(schema.safeParse('a').error?.issues.map(({ path, code }) => [path, code])).toEqual([[[], 'too_small']]);
  expect(schema.safeParse({}).error?.issues.map(({ path, code }) => [path, code])).toEqual([
    [['size'], 'invalid_type'],
    [['colour'], 'invalid_type'],
  ]);
});
