import { expect, it } from 'vitest';
import { machineWords } from './machine.mjs';

const quiet = { started: '2026-11-15T16:01:02.000Z', node: 'v20.0.0', cores: 2, model: 'a processor', loadBefore: 1 };

it('says of a busy machine that it was one', () => {
  const words = 'Run of 2026-11-15 16:01 UTC on Node v20.0.0, 2 cores (a processor), load average';
  expect([machineWords(quiet), machineWords({ ...quiet, loadBefore: 1.1 })]).toEqual([
    `${words} 1.0 before it.`,
    `${words} 1.1 before it: **the machine was busy with other work, so do not quote these figures.**`,
  ]);
});
