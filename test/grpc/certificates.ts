import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeftOut } from '../support/system-program.ts';

/** A key and its certificate, as files and as Node takes them. */
export interface Certificate {
  readonly keyFile: string;
  readonly certificateFile: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Makes certificates with openssl in a folder of its own; empty ones where there is no openssl and no test wants them. */
export class CertificateMaker {
  readonly #folder = mkdtempSync(join(tmpdir(), 'conch-certificates-'));
  readonly isLeftOut = isLeftOut('openssl');

  /** An authority that others can be signed by. */
  authority(name: string): Certificate {
    this.#openssl('req', '-x509', ...this.#newKey(name), '-days', '2', '-out', `${name}.pem`);
    return this.#read(name);
  }

  /** A certificate for the given names, signed by the authority of that name. */
  signed(name: string, { by, names }: { readonly by: string; readonly names: string }): Certificate {
    writeFileSync(join(this.#folder, `${name}.ext`), `subjectAltName=${names}\n`);
    this.#openssl('req', '-new', ...this.#newKey(name), '-out', `${name}.csr`);
    const authority = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
    const options = ['-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.pem`];
    this.#openssl('x509', '-req', '-in', `${name}.csr`, ...authority, ...options);
    return this.#read(name);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #newKey(name: string): string[] {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    return [...curve, '-nodes', '-keyout', `${name}.key`, '-subj', `/CN=${name}`];
  }

  #openssl(...options: readonly string[]): void {
    if (this.isLeftOut) return;
    execFileSync('openssl', options, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  #read(name: string): Certificate {
    const keyFile = join(this.#folder, `${name}.key`);
    const certificateFile = join(this.#folder, `${name}.pem`);
    const read = (file: string): Buffer => (this.isLeftOut ? Buffer.alloc(0) : readFileSync(file));
    return { keyFile, certificateFile, key: read(keyFile), cert: read(certificateFile) };
  }
}
