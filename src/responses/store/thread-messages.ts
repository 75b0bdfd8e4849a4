import type { StoreLimits } from './response-store.ts';
import type { SqliteWrite } from './sqlite-responses.ts';
import type { StoredRow } from './stored-row.ts';

/** What the thread of a SQLite store is started with. */
export interface ThreadStart {
  readonly file: string;
  readonly limits: StoreLimits;
}

export type ThreadTask =
  | SqliteWrite
  | { readonly kind: 'find'; readonly owner: string; readonly id: string }
  | { readonly kind: 'conversation'; readonly owner: string; readonly id: string }
  | { readonly kind: 'open' }
  | { readonly kind: 'close' };

/** What each task gives. */
export interface ThreadResults {
  readonly open: undefined;
  readonly save: boolean;
  readonly delete: boolean;
  readonly find: StoredRow | undefined;
  readonly conversation: readonly StoredRow[] | undefined;
  readonly close: undefined;
}

export interface ThreadRequest {
  readonly number: number;
  readonly task: ThreadTask;
}

export type ThreadAnswer =
  | { readonly kind: 'result'; readonly number: number; readonly value: ThreadResults[ThreadTask['kind']] }
  | { readonly kind: 'fault'; readonly number: number; readonly message: string }
  /** Something that nobody had asked for could not be done. */
  | { readonly kind: 'background-fault'; readonly message: string };
