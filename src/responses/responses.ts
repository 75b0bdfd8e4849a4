import type { Link } from '../link.ts';
import { BackgroundRuns, type Shutdown } from './background-runs.ts';
import { type KeeperOptions, ResponseKeeper } from './response-keeper.ts';
import { SharedRuns } from './shared-runs.ts';

/** Stored responses, and those that run in the background of this process and of others. */
export interface Responses {
  readonly keeper: ResponseKeeper;
  readonly runs: BackgroundRuns;
  readonly shared: SharedRuns;
}

interface ResponsesOptions {
  readonly store: KeeperOptions;
  /** The other processes that run responses in the background. */
  readonly link: Link;
  readonly shutdown: Shutdown;
}

/** Creates them for one process. */
export function openResponses({ store, link, shutdown }: ResponsesOptions): Responses {
  const runs = new BackgroundRuns(shutdown);
  return { keeper: new ResponseKeeper(store), runs, shared: new SharedRuns(runs, link) };
}
