/** A certificate, its key, and the authorities for client certificates. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer | undefined;
}

/** The TLS files of a port, with notification of newer ones. */
export interface TlsSource {
  readonly current: TlsFiles;
  onChange(take: (files: TlsFiles) => void): void;
}

/** A server whose certificate can be changed while it runs. */
interface SecureServer {
  setSecureContext(files: TlsFiles): void;
}

/** The options of a TLS server. With `ca`, clients must present a certificate. */
export function tlsOptions({ current }: TlsSource) {
  const wantsCertificate = current.ca !== undefined;
  return {
    ...current,
    requestCert: wantsCertificate,
    rejectUnauthorized: wantsCertificate,
    minVersion: 'TLSv1.2',
  } as const;
}

/** Updates the certificate of a server; open connections keep theirs. */
export function followTls(server: object, tls: TlsSource | undefined): void {
  tls?.onChange((files) => (server as SecureServer).setSecureContext(files));
}
