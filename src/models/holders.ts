import type { ModelContracts } from '../contracts/row-contracts.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { FoundModel } from './discovery.ts';
import { contractsOf } from './fit.ts';
import type { WatchedServer } from './watched-server.ts';

/** A server that has a model ready. */
interface Holder extends ModelContracts {
  readonly server: InferenceServer;
  readonly ready: NonNullable<FoundModel['ready']>;
}

/** The servers that have a model ready, its engine included, in its newest version and configured alike. */
export function holdersOf(
  servers: readonly WatchedServer[],
  name: string,
  engineFailure: (server: InferenceServer, ready: NonNullable<FoundModel['ready']>) => unknown,
): Holder[] {
  const holders = servers.flatMap(({ server, found }) =>
    found.flatMap((model) => {
      const contracts = model.name === name && model.ready ? contractsOf(model.ready) : undefined;
      if (model.ready && engineFailure(server, model.ready)) return [];
      return contracts && model.ready ? [{ server, ...contracts, ready: model.ready }] : [];
    }),
  );
  const newest = Math.max(...holders.map(({ ready }) => Number(ready.version)));
  const [first, ...others] = holders.filter(({ ready }) => Number(ready.version) === newest);
  if (!first || others.length === 0) return first ? [first] : [];
  // A request is encoded once and may go to any of these servers, so all must declare the same.
  const text = declaredText(first);
  return [first, ...others.filter((holder) => declaredText(holder) === text)];
}

/** Everything that the encoding of a request depends on. */
function declaredText({ contract, ready: { config, target, basis } }: Holder): string {
  return JSON.stringify([contract?.kind, config, target, basis]);
}
