/**
 * Keeps secrets out of code frames: the text of a config with its secret values overwritten, every position unchanged.
 * Findings of any kind can be shown on it.
 */

import { locatePaths } from '../../formats/json/locate.ts';
import { skipString } from '../../formats/json/tokens.ts';
import type { Config, Resource } from '../../ignition/config.ts';
import type { Path } from '../../report.ts';
import { listSensitiveOptions } from '../conf.ts';
import { ipaKnowledge } from '../ipaOptions.ts';
import { listPullSecrets } from './pullSecret.ts';
import { type HostFile, type LintSubject, readContents, readSubject } from './subject.ts';

const quote = 0x22;
const star = 0x2a;

/** A copy of the document, which is known to be JSON, in which secret strings are stars. */
export function maskSecrets(document: Uint8Array, config: Config): Uint8Array {
  const paths = listSecretPaths(config);
  if (paths.length === 0) return document;
  const masked = Buffer.from(document);
  for (const offset of locatePaths(masked, paths)) {
    if (masked[offset] === quote) masked.fill(star, offset + 1, skipString(masked, offset) - 1);
  }
  return masked;
}

/**
 * The same for a conf file, which may be damaged: values of options that are secret or sound so, and credentials in
 * URLs. Every byte but blanks and line breaks becomes a star.
 */
export function maskConfSecrets(bytes: Uint8Array): Uint8Array {
  let isSecret = false;
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/(?<=\n|\r(?!\n))/);
  const masked = lines.map((line) => {
    const isContinued = line.startsWith(' ') || line.startsWith('\t');
    const separator = isContinued ? -1 : line.search(/[:=]/);
    if (!isContinued) isSecret = separator >= 0 && isSecretName(line.slice(0, separator).trim());
    const value = line.slice(separator + 1);
    return line.slice(0, separator + 1) + (isSecret ? stars(value) : maskCredentials(value));
  });
  return Buffer.from(masked.join(''), 'latin1');
}

function isSecretName(name: string): boolean {
  const isDeclared = ipaKnowledge().options.some(
    (option) => option.name === name && option.sensitive === true,
  );
  return isDeclared || /pass|token|secret|key/i.test(name);
}

function maskCredentials(text: string): string {
  return text.replaceAll(/(?<=:\/\/)[^\s/@]{1,2000}(?=@)/g, stars);
}

function stars(text: string): string {
  return text.replaceAll(/\S/g, '*');
}

/** Where secrets stand in a config: credentials, keys, passwords and files that only root may read. */
export function listSecretPaths(config: Config): Path[] {
  const subject = readSubject(config);
  return [
    ...listFileSecrets(subject),
    ...listUserSecrets(config),
    ...listUnitSecrets(subject),
    ...listProxySecrets(config),
    ...(config.storage?.luks ?? []).map((_, index) => ['storage', 'luks', index, 'keyFile', 'source']),
  ];
}

function listFileSecrets(subject: LintSubject): Path[] {
  const credentials = new Set(listPullSecrets(subject).map(({ name }) => name));
  return subject.files
    .filter((file) => credentials.has(file.name) || isPrivate(file) || hasSensitiveOptions(file, subject))
    .flatMap(({ file, path }) => [
      ...secretsOf(file.contents, [...path, 'contents']),
      ...(file.append ?? []).flatMap((resource, index) => secretsOf(resource, [...path, 'append', index])),
    ]);
}

function secretsOf({ httpHeaders = [] }: Resource = {}, path: Path): Path[] {
  return [[...path, 'source'], ...httpHeaders.map((_, index) => [...path, 'httpHeaders', index, 'value'])];
}

function isPrivate({ file }: HostFile): boolean {
  return file.mode !== undefined && (Number(file.mode) & 0o077) === 0;
}

function hasSensitiveOptions(conf: HostFile, { confs }: LintSubject): boolean {
  const bytes = confs.includes(conf) ? readContents(conf.file.contents ?? {}) : undefined;
  return bytes !== undefined && listSensitiveOptions(Buffer.from(bytes).toString()).length > 0;
}

function listUserSecrets({ passwd = {} }: Config): Path[] {
  const users = (passwd.users ?? []).flatMap(({ sshAuthorizedKeys = [] }, user): Path[] => [
    ['passwd', 'users', user, 'passwordHash'],
    ...sshAuthorizedKeys.flatMap((key, index) => {
      return key.includes('PRIVATE KEY') ? [['passwd', 'users', user, 'sshAuthorizedKeys', index]] : [];
    }),
  ]);
  const groups = (passwd.groups ?? []).map((_, index): Path => ['passwd', 'groups', index, 'passwordHash']);
  return [...users, ...groups];
}

function listUnitSecrets({ units }: LintSubject): Path[] {
  return units.flatMap(({ unit, path }) => [
    ...(hasPassword(unit.contents) ? [[...path, 'contents']] : []),
    ...(unit.dropins ?? []).flatMap(({ contents }, index) => {
      return hasPassword(contents) ? [[...path, 'dropins', index, 'contents']] : [];
    }),
  ]);
}

function listProxySecrets({ ignition }: Config): Path[] {
  const { httpProxy, httpsProxy } = ignition?.proxy ?? {};
  return [
    ...(hasPassword(httpProxy) ? [['ignition', 'proxy', 'httpProxy']] : []),
    ...(hasPassword(httpsProxy) ? [['ignition', 'proxy', 'httpsProxy']] : []),
  ];
}

/** Credentials in a URL. */
function hasPassword(text = ''): boolean {
  return /:\/\/[^\s/@]{1,2000}@/.test(text);
}
