/** Lint of data that the config writes to the host: files, certificates, SSH keys, and the total size. */

import { withSlashes } from '../../ignition/rules/path.ts';
import { lintError, lintWarning } from '../../core/rule.ts';
import { broken, type LintSubject, readContents } from './subject.ts';
import { ANCHOR_FOLDER } from '../files.ts';
import { X509Certificate } from 'node:crypto';
import { FormatError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { MAX_FINDINGS, type Path, type Finding } from '../../core/finding.ts';
import { parseCaCertificates } from '../../formats/caCertificates.ts';
import { checkSshPublicKey, splitAuthorizedKeys } from '../../formats/sshKey.ts';
import type { TargetSystem } from './subject.ts';
import { writeInitrd } from '../../image/initrd.ts';
import { CONFIG_NAME, EMBED_AREA_SIZE } from '../../image/embeddedIgnition.ts';

export const hostFileRules = {
  readOnly: lintError(
    'agent-path-read-only',
    'the path is on a read-only filesystem of CoreOS, so Ignition cannot write it and the boot fails',
    'use a path below /etc, /var, /opt or /usr/local',
  ),
  mode: lintWarning(
    'agent-mode-decimal',
    'the mode looks like octal digits, but JSON numbers are decimal',
    'write the mode as a decimal number: 420 is 0644, 384 is 0600, 493 is 0755',
  ),
  linkTarget: lintWarning(
    'agent-link-backslash',
    'the target of the link contains backslashes, which are no separators on Linux, so the link points nowhere',
    'write the target with slashes',
  ),
};

/** Without `machine`, the places are checked that neither a live nor an installed system can write. */
export function checkHostFiles(subject: LintSubject, machine?: TargetSystem): Finding[] {
  const { config, files } = subject;
  const directories = (config.storage?.directories ?? []).map(({ mode }, index) => ({
    mode,
    path: ['storage', 'directories', index],
  }));
  const nodes = [...files.map(({ file, path }) => ({ mode: file.mode, path })), ...directories];
  return [
    ...nodes.flatMap(({ mode, path }) => {
      const octal = String(mode ?? 0);
      if (!USUAL_MODE.test(octal)) return [];
      const hint = `write ${Number.parseInt(octal, 8)}, which is 0${octal}`;
      return [broken(hostFileRules.mode, [...path, 'mode'], { hint })];
    }),
    ...checkPlaces(subject, machine),
    ...(config.storage?.links ?? []).flatMap(({ target = '' }, index) => {
      const hint = `write ${quoteText(withSlashes(target))}`;
      const path = ['storage', 'links', index, 'target'];
      return target.includes('\\') ? [broken(hostFileRules.linkTarget, path, { hint })] : [];
    }),
  ];
}

/** Ignition follows the links of CoreOS: /usr/local is below /var, and /bin is below /usr. */
const READ_ONLY_PATH = /^\/(?:usr(?:\/(?!local(?:\/|$))|$)|(?:bin|sbin|lib|lib64)(?:\/|$))/;

/** Links of CoreOS to folders below /var. */
const varLinks = ['/home', '/mnt', '/opt', '/root', '/srv', '/usr/local'];

/** Whether Ignition can write the path in a live system, where only /etc and /var are writable. */
export function isWritableLive(path: string): boolean {
  return ['/etc', '/var', ...varLinks].some((folder) => `${path}/`.startsWith(`${folder}/`));
}

function checkPlaces({ config }: LintSubject, machine?: TargetSystem): Finding[] {
  return (['files', 'directories', 'links'] as const).flatMap((kind) =>
    (config.storage?.[kind] ?? []).flatMap(({ path = '' }, index) =>
      READ_ONLY_PATH.test(path) || (machine === 'live' && path !== '' && !isWritableLive(path))
        ? [broken(hostFileRules.readOnly, ['storage', kind, index, 'path'])]
        : [],
    ),
  );
}

/** Modes that are usual in octal and implausible as decimal numbers. */
const USUAL_MODE = /^(?:400|440|444|500|550|555|600|640|644|660|664|666|700|740|744|750|755|770|775|777)$/;

export const certificateRules = {
  unreadable: lintWarning(
    'agent-ca-unreadable',
    'the file with CA certificates is invalid',
    'use a file that contains only certificates in PEM ("-----BEGIN CERTIFICATE-----")',
  ),
  validity: lintWarning(
    'agent-ca-validity',
    'a CA certificate is expired or not yet valid',
    'use the current certificate, or check the clock of this machine',
  ),
};

/** `now` is the time for which validity is checked. */
export function checkCertificates({ files, config }: LintSubject, now: Date): Finding[] {
  const anchors = files
    // Installers write an empty anchor for "no CA of its own".
    .filter(({ file, name }) => name.startsWith(ANCHOR_FOLDER) && readContents(file.contents)?.length !== 0)
    .map(({ file: { contents }, name, source }) => {
      return { about: name.slice(ANCHOR_FOLDER.length), path: source, contents, isAnchor: true };
    });
  const bundles = config.ignition?.security?.tls?.certificateAuthorities ?? [];
  const authorities = bundles.map((contents, index) => {
    const path = ['ignition', 'security', 'tls', 'certificateAuthorities', index, 'source'];
    return { about: 'certificateAuthorities', path, contents, isAnchor: false };
  });
  return [...anchors, ...authorities].flatMap(({ about, contents, isAnchor, path }) => {
    const bytes = readContents(contents);
    try {
      const { warnings = [] } = bytes === undefined ? {} : parseCaCertificates(readPem(bytes), now);
      return warnings.map((message) => broken(certificateRules.validity, path, { about, message }));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      // What Ignition itself cannot read is reported with its own problems.
      if (!isAnchor) return [];
      return [broken(certificateRules.unreadable, path, { about, message: `the file ${error.message}` })];
    }
  });
}

/** update-ca-trust accepts DER as well; a DER file starts with a sequence. */
function readPem(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (bytes[0] !== 0x30) return text;
  try {
    return new X509Certificate(bytes).toString();
  } catch {
    return text;
  }
}

export const sshKeyRules = {
  ignored: lintWarning(
    'agent-ssh-key',
    'sshd ignores the key',
    'use the line of the .pub file unchanged: type, base64 text, comment',
  ),
  weak: lintWarning('agent-ssh-key-weak', 'the key is weak', 'create a new key: ssh-keygen -t ed25519'),
};

export function checkSshKeys({ config }: LintSubject): Finding[] {
  return (config.passwd?.users ?? []).flatMap(({ sshAuthorizedKeys = [] }, user) =>
    sshAuthorizedKeys.flatMap((entry, index) => {
      return checkEntry(entry, ['passwd', 'users', user, 'sshAuthorizedKeys', index]);
    }),
  );
}

function checkEntry(entry: string, path: Path): Finding[] {
  const lines = splitAuthorizedKeys(entry);
  if (lines.length === 0)
    return [broken(sshKeyRules.ignored, path, { message: 'the entry contains no key' })];
  const isSeveral = lines.length > 1;
  // Findings about more lines would not be reported.
  return lines
    .slice(0, MAX_FINDINGS)
    .flatMap((line, index) => checkKey(line, path, isSeveral ? `key ${index + 1}` : undefined));
}

function checkKey(line: string, path: Path, about?: string): Finding[] {
  const check = checkSshPublicKey(line);
  if (!check.ok) {
    const message = `${sshKeyRules.ignored.message}: ${check.reason}`;
    return [broken(sshKeyRules.ignored, path, { about, message })];
  }
  const { weakness: message } = check.key;
  return message === undefined ? [] : [broken(sshKeyRules.weak, path, { about, message })];
}

export const passwordRules = {
  hash: lintWarning(
    'agent-password-hash',
    'the value is not a hash of crypt(5), so the user cannot log in with the password',
    'write the output of "mkpasswd --method=yescrypt", or of "openssl passwd -6"',
  ),
};

/** Passwords; the value is never shown, because it may be the password itself. */
export function checkPasswords({ config }: LintSubject): Finding[] {
  return (config.passwd?.users ?? []).flatMap(({ passwordHash = '' }, index) =>
    passwordHash === '' || CRYPT_HASH.test(passwordHash)
      ? []
      : [broken(passwordRules.hash, ['passwd', 'users', index, 'passwordHash'])],
  );
}

/** A locked password, or a hash: SHA-512, SHA-256, MD5 and DES have fixed lengths. */
const CRYPT_HASH =
  /^(?:[!*].*|\$6\$(?:rounds=\d+\$)?[^$:]{0,16}\$[./\dA-Za-z]{86}|\$5\$(?:rounds=\d+\$)?[^$:]{0,16}\$[./\dA-Za-z]{43}|\$1\$[^$:]{0,8}\$[./\dA-Za-z]{22}|\$2[abxy]?\$\d\d\$[./\dA-Za-z]{53}|\$(?:y|gy|7|sha1|md5[^$]*)\$\S+|[./\dA-Za-z]{13}|_[./\dA-Za-z]{19})$/s;

export const sizeRules = {
  tooLarge: lintWarning(
    'agent-size',
    'the config is too large for a live ISO',
    'embed it with --grow, serve the large files by URL with their hashes, or boot over the network',
  ),
};

export function checkSize(document: Uint8Array | undefined): Finding[] {
  if (document === undefined || document.length <= EMBED_AREA_SIZE) return [];
  const archive = writeInitrd(new Map([[CONFIG_NAME, document]]));
  if (archive.length <= EMBED_AREA_SIZE) return [];
  const message = `${sizeRules.tooLarge.message}: the compressed config exceeds the reserved area (${EMBED_AREA_SIZE / 1024} KiB)`;
  return [broken(sizeRules.tooLarge, [], { message })];
}
