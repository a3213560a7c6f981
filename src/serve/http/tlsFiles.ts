/**
 * Certificate, key and authorities from files which whoever renews them replaces while the service runs. Files are looked
 * at again and again rather than watched: Kubernetes replaces a link to their folder, and network file systems tell
 * nothing. Left out: keys that need a passphrase, and lists of revoked certificates.
 */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { CliError } from '../../core/errors.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { ServerLog } from './serverLog.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  /** The service's own certificate first, then those between it and its authority. */
  readonly certificate: string;
  readonly key: string;
  /** Authorities whose clients may do everything; undefined where no client is asked for a certificate. */
  readonly clientCa: string | undefined;
}

/** What fits together. */
export interface TlsMaterial {
  readonly context: SecureContextOptions;
  readonly expires: Date;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
  /** Tells the files from what they become later; from before they were read. */
  readonly stamp: string;
}

/** @throws CliError where a file cannot be read, is something else, or certificate and key do not belong together */
export async function readTlsFiles(files: TlsFiles): Promise<TlsMaterial> {
  const stamp = await stampOf(files);
  const cert = await readPem(files.certificate, 'TLS certificate');
  const key = await readPem(files.key, 'TLS key');
  const ca = files.clientCa === undefined ? undefined : await readPem(files.clientCa, 'Client CA');
  const certificate = parseCertificate(cert, files.certificate);
  if (!certificate.checkPrivateKey(parseKey(key, files.key))) {
    throw new CliError(`The key ${files.key} is not that of the certificate ${files.certificate}`, {
      code: 'ERR_TLS',
      hint: 'give the two that were made together; the certificate of the service comes first in its file',
    });
  }
  if (ca !== undefined && files.clientCa !== undefined) parseCertificate(ca, files.clientCa);
  const context: SecureContextOptions = {
    cert,
    key,
    ...(ca === undefined ? {} : { ca }),
    minVersion: 'TLSv1.2',
  };
  checkContext(context, files);
  return { context, expires: new Date(certificate.validTo), fingerprint: certificate.fingerprint256, stamp };
}

async function readPem(path: string, what: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw fileError(error, { path, what, action: 'read' });
  });
}

function parseCertificate(pem: Buffer, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new CliError(`${path} is no certificate`, {
      code: 'ERR_TLS',
      hint: 'give a PEM file',
      cause: error,
    });
  }
}

function parseKey(pem: Buffer, path: string): KeyObject {
  // Node gives one error for that or another, depending on the kind of the key.
  if (pem.includes('ENCRYPTED')) {
    throw new CliError(`The key ${path} is encrypted`, {
      code: 'ERR_TLS',
      hint: 'take the passphrase off: openssl pkey -in KEY -out PLAIN',
    });
  }
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new CliError(`${path} is no private key`, {
      code: 'ERR_TLS',
      hint: 'give a PEM file',
      cause: error,
    });
  }
}

/** What only OpenSSL knows, e.g. that a key is too short. */
function checkContext(context: SecureContextOptions, { certificate }: TlsFiles): void {
  try {
    createSecureContext(context);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(':').at(-1) : undefined;
    throw new CliError(`The certificate ${certificate} cannot be used: ${reason ?? 'OpenSSL refuses it'}`, {
      code: 'ERR_TLS',
      cause: error,
    });
  }
}

export interface TlsWatch {
  /** Reads the files, whether they have changed or not; resolves to whether they are in use now. Never rejects. */
  reload(): Promise<boolean>;
  end(): void;
}

export interface TlsWatchOptions {
  readonly files: TlsFiles;
  /** What is in use. */
  readonly first: TlsMaterial;
  /** Milliseconds between two looks. */
  readonly interval: number;
  readonly use: (material: TlsMaterial) => void;
  readonly log: ServerLog;
}

/**
 * Puts changed files into use, one set after the other; what does not fit together is told, and the old one kept. Files
 * count as changed when two looks have found the same change: they may be written just now.
 */
export function watchTlsFiles({ files, first, interval, use, log }: TlsWatchOptions): TlsWatch {
  let tried = first.stamp;
  let found = tried;
  let last: Promise<boolean> = Promise.resolve(true);
  const reload = (): Promise<boolean> => {
    last = last.then(async () => {
      tried = await stampOf(files);
      return replace({ files, use, log });
    });
    return last;
  };
  const look = async (): Promise<void> => {
    const before = found;
    found = await stampOf(files);
    if (found === before && found !== tried) await reload();
  };
  const end = new AbortController();
  void repeat(look, interval, end);
  return { reload, end: () => end.abort() };
}

/** One after the other, with pauses that keep no process alive. */
async function repeat(step: () => Promise<void>, pause: number, { signal }: AbortController): Promise<void> {
  for (;;) {
    await wait(pause, undefined, { ref: false, signal }).catch(() => undefined);
    if (signal.aborted) return;
    await step();
  }
}

async function replace({
  files,
  use,
  log,
}: Pick<TlsWatchOptions, 'files' | 'use' | 'log'>): Promise<boolean> {
  try {
    const material = await readTlsFiles(files);
    use(material);
    noteCertificate(material, log);
    return true;
  } catch (error) {
    const { message, hint } =
      error instanceof CliError ? error : new CliError(String(error), { code: 'ERR_TLS' });
    log.note('error', 'certificate', { message: `${message}; the old one stays in use`, hint });
    return false;
  }
}

/** Says which certificate is in use. */
export function noteCertificate({ expires, fingerprint }: TlsMaterial, log: ServerLog): void {
  const isOver = expires.getTime() <= Date.now();
  log.note(isOver ? 'warning' : 'info', 'certificate', {
    message: isOver ? 'the certificate has expired' : 'the certificate is in use',
    expires: expires.toISOString(),
    fingerprint,
  });
}

/** A file that is not there counts, too. */
async function stampOf({ certificate, key, clientCa = key }: TlsFiles): Promise<string> {
  const stamps = [certificate, key, clientCa].map(async (path) => {
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    return found === undefined
      ? 'missing'
      : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':');
  });
  return (await Promise.all(stamps)).join(' ');
}
