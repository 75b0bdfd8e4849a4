import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandInput } from '../config/load.ts';
import type { ModelRegistry } from '../models/registry.ts';

/** Milliseconds that a managed tritonserver may take to load its models. */
const longestStart = 120_000;

/** Checks the servers once; a managed tritonserver until it has loaded its models. */
export async function untilSettled(registry: ModelRegistry, { settings }: CommandInput): Promise<void> {
  const end = performance.now() + (settings.modelRepository.length > 0 ? longestStart : 0);
  do {
    await registry.refresh();
    if (!registry.rows().some(({ state }) => state === 'UNREACHABLE' || state === 'LOADING')) return;
    await sleep(200);
  } while (performance.now() < end);
}
