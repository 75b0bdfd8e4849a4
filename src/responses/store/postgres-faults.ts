import { codeOf } from '../../thrown.ts';
import { StoreError } from './store-error.ts';

/** A fault of PostgreSQL or of the way to it, with the server and what to do about it. */
export function postgresFault(error: unknown, name: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const text = (error instanceof Error && error.message) || code || String(error);
  const advice = advices[code ?? ''] ?? (hasLostConnection(error) ? unreachable : undefined);
  return new StoreError(`${name}: ${text}.${advice ? ` ${advice}` : ''}`);
}

/** Whether the connection broke, as it does when the server is restarted: a new one may work. */
export function hasLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return code === undefined
    ? /^(Connection terminated unexpectedly|Connection terminated|Client has encountered a connection error and is not queryable)$/.test(
        error.message,
      )
    : /^(08...|57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code);
}

const unreachable = 'Check that the server runs and can be reached from here.';
const certificate = 'Check its certificate, sslmode and sslrootcert.';

const advices: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and the password in the URL of the store.',
  '28000': 'Check the user in the URL of the store, and pg_hba.conf of the server.',
  '3D000': 'Create the database, or name another one in the URL of the store.',
  '42501': 'Grant the user the right to create tables in its schema, and to read and write those of Conch.',
  '53100': 'Make room on the disk of the server, or keep fewer responses.',
  '53300': 'Allow the server more connections.',
  '57P03': 'It is starting or stopping.',
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
