import { Client, type PoolConfig } from 'pg';
import { StoreError } from './store-error.ts';

/** How to reach a PostgreSQL server, and what to call it without its password. */
export interface PostgresPlace {
  readonly config: PoolConfig;
  /** Such as `PostgreSQL at db.example:5432/conch`. */
  readonly name: string;
}

const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Reads a postgres:// URL. No fault repeats any of it: a password that is not encoded may stand anywhere in it. */
export function readPlace(url: string): PostgresPlace {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const hasDatabase = parsed !== undefined && /^\/[^@]+$/.test(parsed.pathname);
  if (!hasDatabase || parsed.hash || parsed.search.includes('@')) {
    throw new StoreError(
      'store: the URL must be postgres://USER:PASSWORD@HOST:PORT/DATABASE. Write special characters of the password as %XX.',
    );
  }
  const mode = parsed.searchParams.get('sslmode');
  if (mode !== null && !tlsModes.includes(mode)) {
    throw new StoreError(`store: sslmode must be one of ${tlsModes.join(', ')}.`);
  }
  // With this the modes mean what they mean to PostgreSQL's own programs.
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
    // The files of certificates are read here.
    throw new StoreError(`store: ${error instanceof Error ? error.message : String(error)}`);
  }
}
