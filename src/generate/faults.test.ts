import { expect, it } from 'vitest';
import { cleanText } from './faults.ts';

it.each([
  ['Error generating stream: out of blocks', 'out of blocks'],
  ['[request id: abc-1] out of blocks', 'out of blocks'],
  ['  a/b testing is 50/50  ', 'a/b testing is 50/50'],
])('shows %s to a client', (text, shown) => {
  expect(cleanText(text)).toBe(shown);
});

it.each([
  'two\nlines',
  'Traceback (most recent call last)',
  'cannot open /opt/models/weights.bin',
  'cannot open C:\\models\\weights.bin',
  'failed in model.py',
  'object at 0x7f0011223344',
  'no route to 10.0.0.12',
  "'NoneType' object has no attribute 'x'",
  'x'.repeat(301),
])('shows nothing of %s', (text) => {
  expect(cleanText(text)).toBe('');
});
