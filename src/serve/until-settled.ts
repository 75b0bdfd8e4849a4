import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandInput } from '../config/load.ts';
import type { ModelRegistry } from '../models/registry.ts';

/** Milliseconds that a tritonserver of our own may take to load its models. */
const longestStart = 120_000;

/** Looks at the servers once; at one that is just starting, until it has loaded what it can. */
export async function untilSettled(registry: ModelRegistry, { settings }: CommandInput): Promise<void> {
  const end = performance.now() + (settings.modelRepository.length > 0 ? longestStart : 0);
  do {
    await registry.refresh();
    if (!registry.rows().some(({ state }) => state === 'UNREACHABLE' || state === 'LOADING')) return;
    await sleep(200);
  } while (performance.now() < end);
}
