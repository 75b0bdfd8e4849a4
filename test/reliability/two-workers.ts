import { type Conch, startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { gatewayFlags } from '../support/gateway.ts';
import { commandLine, descendants } from '../support/processes.ts';

/** Whether a line of the log says that a worker accepts requests. */
export function acceptsRequests({ message }: Record<string, unknown>): boolean {
  return /^(accepts requests|conch \S+ listens) on /.test(String(message));
}

/** Starts two workers and waits until both accept requests. */
export async function startTwoWorkers(...flags: readonly string[]): Promise<Conch> {
  const conch = await startConch({ flags: [...gatewayFlags(), '--workers', '2', ...flags] });
  await conch.logged((line) => line['worker'] === 2 && acceptsRequests(line));
  return conch;
}

/** The processes of the workers. */
export function workersOf(conch: Pick<Conch, 'pid'>): number[] {
  return descendants(conch.pid).filter((pid) => commandLine(pid)[1] === inRoot('dist/main.js'));
}
