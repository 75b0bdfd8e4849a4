import { expect, it } from 'vitest';
import { python } from '../support/python.ts';

it('passes the tests of python/conch_vllm', async () => {
  const { stderr, exitCode } = await python('test/conch-tokens/run_tests.py');
  if (exitCode !== 0) throw new Error(stderr);
  // A runner that finds no files would pass, too.
  expect(Number(/^Ran (\d+) tests/m.exec(stderr)?.[1])).toBeGreaterThan(40);
});
