/** A certificate, its key, and the authorities that clients must be vouched for by. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer | undefined;
}

/** What a port speaks TLS with, and what is told when there is a newer one. */
export interface TlsSource {
  readonly current: TlsFiles;
  onChange(take: (files: TlsFiles) => void): void;
}

/** A server whose certificate can be changed while it runs. */
interface SecureServer {
  setSecureContext(files: TlsFiles): void;
}

/** The options of a server that speaks TLS, with clients that have to show a certificate where there is an authority for them. */
export function tlsOptions({ current }: TlsSource) {
  const wantsCertificate = current.ca !== undefined;
  return {
    ...current,
    requestCert: wantsCertificate,
    rejectUnauthorized: wantsCertificate,
    minVersion: 'TLSv1.2',
  } as const;
}

/** Gives a server each newer certificate; connections that are open keep theirs. */
export function followTls(server: object, tls: TlsSource | undefined): void {
  tls?.onChange((files) => (server as SecureServer).setSecureContext(files));
}
