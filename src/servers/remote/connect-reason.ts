/** Why a connection could not be opened, without the jargon of Node and OpenSSL. */
export function connectReason(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(connectReason))].join(', ');
  if (!(error instanceof Error)) return String(error);
  const { code, reason } = error as Error & { readonly code?: string; readonly reason?: unknown };
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'the server does not speak TLS on this port';
  // OpenSSL's own message contains thread numbers and source files.
  if (/^ERR_(SSL|OSSL)_/.test(code ?? '') && typeof reason === 'string') return `TLS failed: ${reason}`;
  return error.message || code || error.name;
}
