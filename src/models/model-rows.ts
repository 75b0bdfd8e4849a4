import { vllmMismatch } from '../contracts/vllm-mismatch.ts';
import type { EngineFailure } from '../kserve/engines.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { contractName } from './abilities.ts';
import type { FoundModel } from './discovery.ts';
import { contractsOf } from './fit.ts';
import type { ModelRow, NamedModel } from './served-model.ts';
import type { WatchedServer } from './watched-server.ts';

/** What the table is made from. */
interface TableOptions {
  readonly servers: readonly WatchedServer[];
  readonly served: readonly NamedModel[];
  readonly aliases: ReadonlyMap<string, string>;
  readonly expectedModels: readonly string[];
  readonly isWithdrawn: (root: string) => boolean;
  readonly engineFailure: (
    server: InferenceServer,
    ready: NonNullable<FoundModel['ready']>,
  ) => EngineFailure | undefined;
}

/** The model table: every model of every server, served or not. */
export function modelRows(options: TableOptions): ModelRow[] {
  const rows: ModelRow[] = [];
  for (const { server, found, error } of options.servers) {
    if (error)
      rows.push({
        name: '-',
        version: '',
        server: server.name,
        contract: '',
        tokenizer: '',
        state: 'UNREACHABLE',
        reason: error.message,
      });
    for (const model of found) rows.push(...rowsOf(model, server, options));
  }
  return [...rows, ...missingModels(options)];
}

/** Names of the settings for models that no server has, once all servers are reachable. */
function missingModels({ servers, aliases, expectedModels }: TableOptions): ModelRow[] {
  if (servers.some(({ isSilent }) => isSilent)) return [];
  const names = new Set(servers.flatMap(({ found }) => found.map(({ name }) => name)));
  const strayAliases = [...aliases]
    .filter(([, target]) => !names.has(target))
    .map(([name, target]) => missingRow(name, `it is an alias of ${target}, which no server has`));
  const absent = expectedModels
    .filter((name) => !names.has(name) && !aliases.has(name))
    .map((name) => missingRow(name, 'it is set with --triton-model, but no server has it'));
  return [...strayAliases, ...absent];
}

/** A server's reason, after what to do about it where that is known. */
function explained(reason: string): string {
  const advice = vllmMismatch(reason);
  return advice === undefined ? reason : `${advice}.\n${reason}`;
}

function missingRow(name: string, reason: string): ModelRow {
  return { name, version: '', server: '-', contract: '-', tokenizer: '-', state: 'MISSING', reason };
}

function rowsOf(found: FoundModel, holder: InferenceServer, options: TableOptions): ModelRow[] {
  const { served, aliases, isWithdrawn, engineFailure } = options;
  const { name, version, state, ready } = found;
  const server = holder.name;
  if (isWithdrawn(name)) {
    const reason = 'it is being unloaded';
    return [{ name, version, server, contract: '-', tokenizer: '-', state: 'UNLOADING', reason }];
  }
  const contracts = ready && contractsOf(ready);
  if (!contracts) {
    const refusal = ready && 'reason' in ready.detection ? ready.detection : undefined;
    const reason = refusal?.reason ?? explained(found.reason);
    const row = { name, version, server, contract: '-', tokenizer: '-', state: state || 'NOT LOADED', reason };
    return [refusal?.isInner ? { ...row, isInner: true } : row];
  }
  const contract = contractName(contracts);
  const failure = ready && engineFailure(holder, ready);
  if (failure) {
    const reason = failure.part === 'engine' ? 'its engine has failed' : 'its backend process has failed';
    return [{ name, version, server, contract, tokenizer: '-', state: 'FAILED', reason }];
  }
  const other = aliases.get(name);
  if (other !== undefined)
    return [{ name, version, server, contract, tokenizer: '-', state, reason: `its name is an alias of ${other}` }];
  return served
    .filter((model) => model.root === name)
    .map((model) => ({
      name: model.name,
      version,
      server,
      contract: contractName(model),
      tokenizer: model.tokenizerName,
      state,
      reason: model.group.servers.some((holder) => holder.name === server)
        ? ''
        : 'another server has it with another version or configuration',
    }));
}
