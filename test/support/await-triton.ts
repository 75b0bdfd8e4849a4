import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, inject } from 'vitest';
import { isReady } from './triton.ts';

const patience = 240_000;
const pollMilliseconds = 50;

// A shared tritonserver that died in an earlier file is being restarted: this file waits for it.
beforeAll(async () => {
  const { httpPort } = inject('triton');
  const end = Date.now() + patience;
  while (!(await isReady(httpPort))) {
    if (Date.now() > end) throw new Error('The shared tritonserver is not ready. Its end is reported above.');
    await pause(pollMilliseconds);
  }
}, patience + 10_000);
