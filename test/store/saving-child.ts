import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { StoredResponse } from '../../src/responses/store/response-store.ts';
import { inRoot } from '../support/environment.ts';

/** What a child saves under an id. */
export function savedByChild(id: string): StoredResponse {
  const response = { id, text: id.repeat(2000) };
  return { id, owner: 'ann', created: 2_000_000_000, previousId: null, response, input: [{ id, text: id }] };
}

interface ChildOptions {
  readonly location: string;
  readonly prefix: string;
  /** How many it saves; without it, it never ends. */
  readonly count?: number;
}

/** A process that saves responses, always 100 at a time. */
export function startChild({ location, prefix, count }: ChildOptions): ChildProcessByStdio<null, Readable, null> {
  const options = [
    inRoot('test/store/saving-child.mjs'),
    location,
    prefix,
    ...(count === undefined ? [] : [String(count)]),
  ];
  return spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
}
