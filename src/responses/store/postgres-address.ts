import { Client, type PoolConfig } from 'pg';
import { StoreError } from './store-error.ts';

/** The address of a PostgreSQL server, and its name without the password. */
export interface PostgresAddress {
  readonly config: PoolConfig;
  /** For example `PostgreSQL at db.example:5432/conch`. */
  readonly name: string;
}

const tlsModes = new Set(['disable', 'require', 'verify-ca', 'verify-full']);

/** Reads a postgres:// URL. Errors repeat no part of it: an unencoded password may be anywhere in it. */
export function readAddress(url: string): PostgresAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const hasDatabase = parsed !== undefined && /^\/[^@]+$/.test(parsed.pathname);
  if (!hasDatabase || parsed.hash || parsed.search.includes('@')) {
    throw new StoreError(
      'Invalid URL of the store: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE. Encode special characters of the password as %XX.',
    );
  }
  const mode = parsed.searchParams.get('sslmode');
  if (mode !== null && !tlsModes.has(mode)) {
    throw new StoreError(
      'Invalid sslmode in the URL of the store: expected disable, require, verify-ca or verify-full.',
    );
  }
  // With this, the modes have the same meaning as in libpq.
  if (mode !== null) parsed.searchParams.set('uselibpqcompat', 'true');
  const config: PoolConfig = {
    connectionString: parsed.href,
    fallback_application_name: 'conch',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  };
  return { config, name: nameOf(config) };
}

function nameOf(config: PoolConfig): string {
  try {
    const { host, port, database } = new Client(config);
    return `PostgreSQL at ${host}:${port}/${database}`;
  } catch (error) {
    // Certificate files are read here.
    throw new StoreError(`Invalid URL of the store: ${error instanceof Error ? error.message : String(error)}`);
  }
}
