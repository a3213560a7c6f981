/** Certificate authorities that the host or Ignition is told to trust. */

import { X509Certificate } from 'node:crypto';
import { FormatError } from '../../core/errors.ts';
import type { Resource } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import type { Path } from '../../core/finding.ts';
import { parseCaCertificates } from '../caCertificates.ts';
import { broken, warning } from './lintRule.ts';
import { type LintSubject, readContents } from './subject.ts';

export const certificateRules = {
  unreadable: warning(
    'agent-ca-unreadable',
    'the file of a certificate authority cannot be used',
    'write certificates in PEM, "-----BEGIN CERTIFICATE-----" and so on, and nothing else that is PEM',
  ),
  validity: warning(
    'agent-ca-validity',
    'a certificate authority is not valid now',
    'get the present certificate, or check the clock of this machine',
  ),
};

const trustAnchors = '/etc/pki/ca-trust/source/anchors/';

interface PlacedAuthority {
  readonly name: string;
  readonly resource: Resource;
  readonly path: Path;
}

/** `now` is what the certificates are judged by. */
export function checkCertificates({ files, config }: LintSubject, now: Date): Issue[] {
  const anchors = files
    .filter(({ name }) => name.startsWith(trustAnchors))
    .map(({ name, file, path }): PlacedAuthority => ({
      name: name.slice(trustAnchors.length),
      resource: file.contents ?? {},
      path: [...path, 'contents', 'source'],
    }));
  const authorities = config.ignition?.security?.tls?.certificateAuthorities ?? [];
  const ofIgnition = authorities.map((resource, index): PlacedAuthority => ({
    name: 'certificateAuthorities',
    resource,
    path: ['ignition', 'security', 'tls', 'certificateAuthorities', index, 'source'],
  }));
  return [...anchors, ...ofIgnition].flatMap((authority) => checkAuthority(authority, now));
}

function checkAuthority({ name, resource, path }: PlacedAuthority, now: Date): Issue[] {
  const bytes = readContents(resource);
  if (bytes === undefined) return [];
  try {
    const { warnings } = parseCaCertificates(readPem(bytes), now);
    return warnings.map((text) => broken(certificateRules.validity, path, { message: `${name}: ${text}` }));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return [broken(certificateRules.unreadable, path, { message: `${name}: the file ${error.message}` })];
  }
}

/** update-ca-trust takes DER as well; such a file starts with a sequence. */
function readPem(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (bytes[0] !== 0x30) return text;
  try {
    return new X509Certificate(bytes).toString();
  } catch {
    return text;
  }
}
