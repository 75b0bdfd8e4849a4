import { codeOf } from '../../thrown.ts';
import { StoreError } from './store-error.ts';

/** Describes an error of PostgreSQL or of the connection: the server, the error and what to do. */
export function postgresError(error: unknown, name: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const text = (error instanceof Error && error.message) || code || String(error);
  const advice = advices[code ?? ''] ?? (hasLostConnection(error) ? unreachable : undefined);
  return new StoreError(`${name}: ${text}.${advice ? ` ${advice}` : ''}`);
}

/** Whether the connection was lost, for example because the server restarted. A new one may work. */
export function hasLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return code === undefined
    ? /^(Connection terminated unexpectedly|Connection terminated|Client has encountered a connection error and is not queryable)$/.test(
        error.message,
      )
    : /^(08...|57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code);
}

const unreachable = 'Check that the server is running and reachable.';
const certificate = 'Check its certificate, sslmode and sslrootcert.';

const advices: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and password in the URL of the store.',
  '28000': 'Check the user in the URL of the store, and pg_hba.conf on the server.',
  '3D000': 'Create the database, or use another one in the URL of the store.',
  '42501': "Grant the user permission to create tables in its schema, and to read and write Conch's tables.",
  '53100': 'Free disk space on the server, or store fewer responses.',
  '53300': 'Increase max_connections of the server.',
  '57P03': 'The server is starting or stopping. Try again later.',
  ECONNREFUSED: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ENOENT: unreachable,
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate,
  SELF_SIGNED_CERT_IN_CHAIN: certificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate,
  CERT_HAS_EXPIRED: certificate,
  ERR_TLS_CERT_ALTNAME_INVALID: certificate,
};
