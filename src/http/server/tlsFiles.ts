/**
 * Certificate, key and client CA files, which may be renewed while the service runs. The files are polled: Kubernetes
 * replaces a symbolic link to their folder, and network file systems send no change events. Not supported: encrypted keys
 * and certificate revocation lists.
 */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { CliError } from '../../core/errors.ts';
import { statsOf } from '../../io/files/fileStates.ts';
import { readUserFile } from '../../io/files/files.ts';
import { watchFiles } from '../../io/files/watchFiles.ts';
import { noteFailedReload, type ServerLog } from './serverLog.ts';

/** Absolute paths. */
export interface TlsFiles {
  /** The certificate of the service first, then intermediate certificates. */
  readonly certificate: string;
  readonly key: string;
  /** CA certificates; their clients have access to everything. Undefined if clients need no certificate. */
  readonly clientCa: string | undefined;
}

export interface TlsMaterial {
  readonly context: SecureContextOptions;
  readonly certificate: X509Certificate;
}

export async function readTlsFiles(files: TlsFiles): Promise<TlsMaterial> {
  const cert = await readPem(files.certificate, 'TLS certificate');
  const key = await readPem(files.key, 'TLS key');
  const ca = files.clientCa === undefined ? undefined : await readPem(files.clientCa, 'Client CA');
  const certificate = parseCertificate(cert, files.certificate);
  if (!certificate.checkPrivateKey(parseKey(key, files.key))) {
    const hint = 'pass the key that belongs to the first certificate in the file';
    throw tlsError(`The key ${files.key} does not match the certificate ${files.certificate}`, hint);
  }
  if (ca !== undefined && files.clientCa !== undefined) parseCertificate(ca, files.clientCa);
  const context: SecureContextOptions = {
    cert,
    key,
    ...(ca === undefined ? {} : { ca }),
    minVersion: 'TLSv1.2',
  };
  checkContext(context, files);
  return { context, certificate };
}

/** Whether clients that connect to this name or address accept the certificate. */
export function isCertificateFor(host: string, { certificate }: TlsMaterial): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/** Bytes; bundles of all public authorities have a quarter of it. */
const MAX_PEM = 1024 * 1024;

/** Only regular files: a pipe can be read once, while the files are read again with each reload. */
async function readPem(path: string, what: string): Promise<Buffer> {
  if ((await statsOf(path))?.isFile() === false)
    throw tlsError(`${what} is not a regular file: ${path}`, 'pass a PEM file');
  return Buffer.from(await readUserFile(path, { cwd: '/' }, { what, maxBytes: MAX_PEM }));
}

function parseCertificate(pem: Buffer, path: string): X509Certificate {
  const isKey = pem.includes('PRIVATE KEY-----');
  const hint = isKey ? 'pass the certificate; this file contains a private key' : 'pass a PEM file';
  return orTlsError(() => new X509Certificate(pem), `${path} is not a certificate`, hint);
}

function parseKey(pem: Buffer, path: string): KeyObject {
  // For an encrypted key, the error of Node depends on the key type.
  if (pem.includes('ENCRYPTED')) {
    throw tlsError(`The key ${path} is encrypted`, 'remove the passphrase: openssl pkey -in KEY -out PLAIN');
  }
  const isCertificate = pem.includes('CERTIFICATE-----');
  const hint = isCertificate ? 'pass the private key; this file contains a certificate' : 'pass a PEM file';
  return orTlsError(() => createPrivateKey(pem), `${path} is not a private key`, hint);
}

function orTlsError<T>(parse: () => T, problem: string, hint: string): T {
  try {
    return parse();
  } catch (error) {
    throw tlsError(problem, hint, error);
  }
}

/** Checks that only OpenSSL does, for example of the key length. */
function checkContext(context: SecureContextOptions, { certificate }: TlsFiles): void {
  try {
    createSecureContext(context);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(':').at(-1) : undefined;
    const problem = reason ?? 'rejected by OpenSSL';
    throw tlsError(`The certificate ${certificate} is invalid: ${problem}`, undefined, error);
  }
}

function tlsError(message: string, hint?: string, cause?: unknown): CliError {
  return new CliError(message, { code: 'ERR_TLS', hint, cause });
}

/**
 * Uses changed files. If they are invalid, logs an error and keeps the previous certificate.
 * @param interval milliseconds between two checks
 * @returns `reload` reads the files, even if they are unchanged, and resolves to whether they are in use now
 */
export async function watchTlsFiles(
  files: TlsFiles,
  interval: number,
  log: ServerLog,
  use: (material: TlsMaterial) => void,
) {
  let last: Promise<boolean> = Promise.resolve(true);
  const replace = async (): Promise<boolean> => {
    await watch.accept();
    try {
      const material = await readTlsFiles(files);
      use(material);
      noteCertificate(material, log);
      return true;
    } catch (error) {
      noteFailedReload(log, 'certificate', error, 'still using the previous certificate');
      return false;
    }
  };
  const reload = (): Promise<boolean> => {
    last = last.then(replace);
    return last;
  };
  const { certificate, clientCa, key } = files;
  const paths = [certificate, key, ...(clientCa === undefined ? [] : [clientCa])];
  const watch = await watchFiles(async () => paths, { interval, changed: () => void reload() });
  return { reload, end: () => watch.stop() };
}

export function noteCertificate({ certificate }: TlsMaterial, log: ServerLog): void {
  const expires = new Date(certificate.validTo);
  const isOver = expires.getTime() <= Date.now();
  log.note(isOver ? 'warning' : 'info', 'certificate', {
    message: isOver ? 'the certificate has expired' : 'the certificate is in use',
    expires: expires.toISOString(),
    fingerprint: certificate.fingerprint256,
  });
}
