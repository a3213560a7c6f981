/** What single files say about their settings. A text that is not what its file should hold is told by its digest. */

import { X509Certificate } from 'node:crypto';
import { parseKeyfile } from '../../formats/keyfile.ts';
import { parseCaCertificates } from '../caCertificates.ts';
import { keyfileFolder } from '../hostNetwork.ts';
import { parsePullSecret } from '../pullSecret.ts';
import { compareText, type Entry, fingerprint, say, sayHidden, sayPlain } from './entry.ts';
import { isSecretName } from '../../core/masking.ts';

/** Reads the text of the file at `path`; undefined, or FormatError, where its digest has to do. */
export type ReadText = (text: string, path: string) => Entry[] | undefined;

/** Every key of a connection. The order of sections means nothing. */
export function readKeyfile(text: string, path: string): Entry[] {
  const name = path.slice(keyfileFolder.length + 1);
  const sections = parseKeyfile(text).toSorted((a, b) => compareText(a.name, b.name));
  return sections.flatMap((section) => {
    const start = `${name}: [${section.name}]`;
    if (section.entries.length === 0) return [say('host.keyfiles', start)];
    return section.entries.map(({ key, value }) => {
      const isSecret = section.name === 'vpn-secrets' || isNetworkSecret(key);
      return isSecret
        ? sayHidden('host.keyfiles', `${start} ${key}=`, value)
        : say('host.keyfiles', `${start} ${key}=${value}`);
    });
  });
}

function isNetworkSecret(key: string): boolean {
  return isSecretName(key) || /(?:^|-)(?:wep-key\d|mka-cak)$/.test(key);
}

/** One entry for each certificate. */
export function readCertificates(text: string): Entry[] {
  const { pem } = parseCaCertificates(text, new Date(0));
  const end = '-----END CERTIFICATE-----\n';
  const blocks = pem.split(end).slice(0, -1);
  return blocks.map((block) => {
    const { fingerprint256, subject, validTo } = new X509Certificate(block + end);
    const digest = fingerprint256.replaceAll(':', '').toLowerCase();
    const name = subject.replaceAll('\n', ', ');
    const shown = `${name}, sha256:${digest.slice(0, 12)}…, until ${validTo}`;
    return sayPlain('ironic.caFiles', shown, digest);
  });
}

/** Which registries there are credentials for, and whether they are the same; how the JSON is written means nothing. */
export function readPullSecret(text: string): Entry[] {
  const secret: { readonly auths?: object } = JSON.parse(parsePullSecret(text));
  const canonical = JSON.stringify(secret);
  const names = Object.keys(secret.auths ?? {});
  const registries = names.length > mostNames ? [...names.slice(0, mostNames), '…'] : names;
  const shown = `${fingerprint(canonical)} (registries: ${registries.join(', ')})`;
  return [sayPlain('agent.pullSecret', shown, canonical)];
}

/** Registries that are listed. */
const mostNames = 10;

/** The servers as `--ntp-server` has them; other directives as they stand. */
export function readTimeServers(text: string): Entry[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !/^[#!;%]/.test(line))
    .map((line) => say('host.ntpServers', /^server[ \t]+(\S+)[ \t]+iburst$/.exec(line)?.[1] ?? line, line));
}

export function readHostnameFile(text: string): Entry[] | undefined {
  const name = text.trim();
  return /^\S+$/.test(name) ? [say('host.hostname', name)] : undefined;
}
