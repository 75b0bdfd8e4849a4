import { setTimeout as pause } from 'node:timers/promises';
import { type Conch, startConch } from '../support/conch.ts';
import { gatewayFlags } from '../support/gateway.ts';

/** A header that some APIs want, with its value. */
export interface Restriction {
  readonly apis: string;
  readonly header: string;
  readonly value: string;
}

/** One for each API that has routes. The values stand nowhere else, so that a log can be searched for them. */
export const restrictions = {
  inference: { apis: 'inference', header: 'User-Key', value: 'whelk 4711' },
  repository: { apis: 'model-repository,metrics', header: 'admin-key', value: 'limpet-0815' },
  health: { apis: 'health', header: 'probe-key', value: 'cockle-2323' },
} as const satisfies Record<string, Restriction>;

/** The header as a client sends it. */
export function keyOf({ header, value }: Restriction): Record<string, string> {
  return { [header]: value };
}

/** A Conch in front of the shared tritonserver whose health may be restricted too. */
export async function startRestricted(
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Conch> {
  const conch = await startConch({ flags: [...gatewayFlags(), ...flags], environment, waitsUntilReady: false });
  for (let tries = 0; tries < 1000; tries++) {
    const response = await fetch(`${conch.url}/health/ready`, { headers: keyOf(restrictions.health) });
    await response.arrayBuffer();
    if (response.ok) return conch;
    await pause(20);
  }
  await conch.stop();
  throw new Error('Conch did not become ready.');
}

/** Uses such a Conch and stops it, also when an expectation fails. */
export async function withRestricted(
  flags: readonly string[],
  environment: Readonly<Record<string, string>>,
  use: (conch: Conch) => Promise<void>,
): Promise<void> {
  const conch = await startRestricted(flags, environment);
  try {
    await use(conch);
  } finally {
    await conch.stop();
  }
}

/** Whether any of the secret values stands in a text. */
export function holdsSecret(text: string): boolean {
  return Object.values(restrictions).some(({ value }) => text.includes(value));
}
