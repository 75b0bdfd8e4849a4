import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredResponse, StoreLimits } from '../../src/responses/store/response-store.ts';
import { isPostgresLeftOut, Postgres } from '../support/postgres.ts';

/** Limits that no test reaches. */
export const wide: StoreLimits = { maxAge: 1_000_000_000, maxSize: 2 ** 40 };

/** Whole seconds since 1970. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** A response with so much text in its output that it and its input have `size` bytes. */
export function responseOfSize(size: number, value: Partial<StoredResponse> & { readonly id: string }): StoredResponse {
  const bare = { owner: 'ann', created: now(), previousId: null, response: { id: value.id, text: '' }, input: [] };
  const rest = JSON.stringify(bare.response).length + JSON.stringify(bare.input).length;
  return { ...bare, response: { id: value.id, text: 'x'.repeat(size - rest) }, ...value };
}

/** Gives new and empty places for stores of one kind. */
export interface Locations {
  begin(): Promise<void>;
  place(): string;
  end(): Promise<void>;
}

/** SQLite files in a temporary folder. */
export function sqliteLocations(): Locations {
  const folder = mkdtempSync(join(tmpdir(), 'conch-store-'));
  let made = 0;
  return {
    begin: async () => {},
    place: () => `sqlite:${join(folder, `${made++}.db`)}`,
    end: async () => rmSync(folder, { recursive: true }),
  };
}

/** Databases of a PostgreSQL server. */
export function postgresLocations(): Locations {
  let postgres: Postgres | undefined;
  let made = 0;
  return {
    begin: async () => {
      postgres = await Postgres.start();
    },
    place: () => {
      const name = `store_${made++}`;
      postgres?.query(`CREATE DATABASE ${name}`);
      return postgres?.url(name) ?? '';
    },
    end: async () => postgres?.remove(),
  };
}

/** Every kind of store, and whether its tests are left out here. */
export const kinds = [
  { kind: 'SQLite', isLeftOut: false, locations: sqliteLocations },
  { kind: 'PostgreSQL', isLeftOut: isPostgresLeftOut(), locations: postgresLocations },
] as const;
