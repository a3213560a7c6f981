/**
 * Rules about what a config writes to the host: files, certificates, SSH keys and passwords. A live system has no disk with a boot
 * loader, and only /etc and /var are writable, in memory. Sources: the stages of Ignition 2.27, and the modules 35coreos-live and
 * 35coreos-ignition of fedora-coreos-config.
 */

import { FormatError } from '../../core/errors.ts';
import { certificateText, parseCaCertificates } from '../../formats/caCertificates.ts';
import { checkSshPublicKey, splitAuthorizedKeys } from '../../formats/sshKey.ts';
import { ANCHOR_FOLDER } from '../files.ts';
import { CONFIG_NAME, EMBED_AREA_SIZE } from '../../image/embeddedIgnition.ts';
import { writeInitrd } from '../../image/initrd.ts';
import { isShadowPassword } from '../login.ts';
import { rule, type Violation } from './lintRule.ts';
import { type LintSubject, readContents } from './subject.ts';

export const hostFileRules = [
  rule(
    'agent-path-read-only',
    'error',
    'use a path below /etc, /var, /opt or /usr/local',
    function* ({ config: { storage = {} } }, { machine }) {
      for (const kind of ['files', 'directories', 'links'] as const) {
        for (const [index, { path = '' }] of (storage[kind] ?? []).entries()) {
          const isWritable =
            !READ_ONLY_PATH.test(path) && (machine !== 'live' || path === '' || isWritableLive(path));
          if (isWritable) continue;
          const message =
            'the path is on a read-only filesystem of CoreOS, so Ignition cannot write it and the boot fails';
          yield { path: ['storage', kind, index, 'path'], message };
        }
      }
      if (machine !== 'live') return;
      for (const [index, { path = '' }] of (storage.filesystems ?? []).entries()) {
        if (path === '' || isWritableLive(path) || IMAGE_FOLDER.test(path)) continue;
        const message =
          'a live system cannot create the mount point, because the filesystem is read-only; Ignition fails and the boot stops';
        yield { path: ['storage', 'filesystems', index, 'path'], message, hint: 'use a path below /var' };
      }
    },
  ),

  rule(
    'agent-live-kernel-arguments',
    'error',
    'remove "kernelArguments"; add the arguments with "ironic-coreos iso kargs modify --append" or "ironic-coreos pxe kargs --append"',
    function* ({ config }, { machine }) {
      if (machine !== 'live' || (config.kernelArguments?.shouldExist ?? []).length === 0) return;
      const message = 'a live system cannot add kernel arguments, so Ignition fails and the boot stops';
      yield { path: ['kernelArguments', 'shouldExist'], message };
    },
  ),

  rule(
    'agent-mode-decimal',
    'warning',
    'write the mode as a decimal number: 420 is 0644, 384 is 0600, 493 is 0755',
    function* ({ config: { storage = {} } }) {
      for (const kind of ['files', 'directories'] as const) {
        for (const [index, { mode }] of (storage[kind] ?? []).entries()) {
          const octal = String(mode ?? 0);
          if (!USUAL_MODE.test(octal)) continue;
          yield {
            path: ['storage', kind, index, 'mode'],
            message: 'the mode looks like octal digits, but JSON numbers are decimal',
            hint: `write ${Number.parseInt(octal, 8)}, which is 0${octal}`,
          };
        }
      }
    },
  ),

  rule(
    'agent-ca-invalid',
    'warning',
    'use a file that contains only current certificates in PEM ("-----BEGIN CERTIFICATE-----")',
    function* ({ config, files }, { now }) {
      const anchors = files
        .filter(({ name }) => name.startsWith(ANCHOR_FOLDER))
        .map(({ file: { contents }, name, source }) => {
          return { about: name.slice(ANCHOR_FOLDER.length), path: source, contents, isAnchor: true };
        });
      const bundles = config.ignition?.security?.tls?.certificateAuthorities ?? [];
      const authorities = bundles.map((contents, index) => {
        const path = ['ignition', 'security', 'tls', 'certificateAuthorities', index, 'source'];
        return { about: 'certificateAuthorities', path, contents, isAnchor: false };
      });
      for (const { about, contents, isAnchor, path } of [...anchors, ...authorities]) {
        const bytes = readContents(contents);
        // Installers write an empty anchor for "no CA of its own".
        if (bytes === undefined || (isAnchor && bytes.length === 0)) continue;
        try {
          const { warnings } = parseCaCertificates(certificateText(bytes), now);
          for (const warning of warnings) yield { path, message: `${about}: ${warning}` };
        } catch (error) {
          if (!(error instanceof FormatError)) throw error;
          // What Ignition itself cannot read is reported with its own problems.
          if (isAnchor) yield { path, message: `${about}: the file ${error.message}` };
        }
      }
    },
  ),

  rule(
    'agent-ssh-key',
    'warning',
    'use the line of the .pub file unchanged: type, base64 text, comment',
    function* ({ config }) {
      for (const [user, { sshAuthorizedKeys = [] }] of (config.passwd?.users ?? []).entries()) {
        for (const [index, entry] of sshAuthorizedKeys.entries()) {
          const path = ['passwd', 'users', user, 'sshAuthorizedKeys', index];
          const lines = splitAuthorizedKeys(entry);
          if (lines.length === 0) yield { path, message: 'the entry contains no key' };
          for (const [number, line] of lines.entries()) {
            const about = lines.length > 1 ? `key ${number + 1}: ` : '';
            const check = checkSshPublicKey(line);
            if (!check.ok) yield { path, message: `${about}sshd ignores the key: ${check.reason}` };
            else if (check.weakness !== undefined) {
              const hint = 'create a new key: ssh-keygen -t ed25519';
              yield { path, message: `${about}${check.weakness}`, hint };
            }
          }
        }
      }
    },
  ),

  rule(
    'agent-password-hash',
    'warning',
    'write the output of "mkpasswd --method=yescrypt", or of "openssl passwd -6"',
    function* ({ config }) {
      for (const [index, { passwordHash = '' }] of (config.passwd?.users ?? []).entries()) {
        if (passwordHash === '' || isShadowPassword(passwordHash)) continue;
        // The value is never shown, because it may be the password itself.
        const message = 'the value is not a hash of crypt(5), so the user cannot log in with the password';
        yield { path: ['passwd', 'users', index, 'passwordHash'], message };
      }
    },
  ),
];

/** The generator of coreos-installer looks only whether the folder has a file. */
export function* findInstallerFile({ files }: LintSubject): Generator<Violation> {
  const settings = files.find(({ name }) => name.startsWith('/etc/coreos/installer.d/'));
  if (settings === undefined) return;
  const message =
    'with a file in /etc/coreos/installer.d, the installer runs instead of the agent and overwrites the disk';
  const hint =
    'remove the settings of the installer: Ironic installs CoreOS with the deploy step install_coreos';
  yield { path: [...settings.path, 'path'], message, hint };
}

export const sizeRule = rule(
  'agent-size',
  'warning',
  'embed it with --grow, serve the large files by URL with their hashes, or boot over the network',
  function* (_subject, { document }) {
    if (document === undefined || document.length <= EMBED_AREA_SIZE) return;
    const archive = writeInitrd(new Map([[CONFIG_NAME, document]]));
    if (archive.length <= EMBED_AREA_SIZE) return;
    const message = `the config is too large for a live ISO: the compressed config exceeds the reserved area (${EMBED_AREA_SIZE / 1024} KiB)`;
    yield { path: [], message };
  },
);

/** Ignition follows the links of CoreOS: /usr/local is below /var, and /bin is below /usr. */
const READ_ONLY_PATH = /^\/(?:usr(?:\/(?!local(?:\/|$))|$)|(?:bin|sbin|lib|lib64)(?:\/|$))/;

/** Links of CoreOS to folders below /var. */
const varLinks = ['/home', '/mnt', '/opt', '/root', '/srv', '/usr/local'];

/** Whether Ignition can write the path in a live system, where only /etc and /var are writable. */
function isWritableLive(path: string): boolean {
  return ['/etc', '/var', ...varLinks].some((folder) => `${path}/`.startsWith(`${folder}/`));
}

/** Folders of the image on which a filesystem can be mounted. A filesystem on / hides the system. */
const IMAGE_FOLDER = /^\/(?:boot|dev|proc|run|sys|sysroot|tmp|usr)(?:\/|$)/;

/** Modes that are usual in octal and implausible as decimal numbers. */
const USUAL_MODE = /^(?:400|440|444|500|550|555|600|640|644|660|664|666|700|740|744|750|755|770|775|777)$/;
