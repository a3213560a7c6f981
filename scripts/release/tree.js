// @ts-check
/**
 * What comes with an executable, in the folders below a prefix such as `/usr/local`: documentation and what it names, manual pages,
 * completions, units and licences.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files of the program's own folder, by their names below the prefix. */
const UNITS = {
  'lib/systemd/system/ironic-coreos-serve.service': 'deploy/serve/ironic-coreos-serve.service',
  'lib/systemd/system/ironic-coreos-serve.socket': 'deploy/serve/ironic-coreos-serve.socket',
  'lib/sysusers.d/ironic-coreos.conf': 'deploy/serve/sysusers.conf',
  'lib/tmpfiles.d/ironic-coreos.conf': 'deploy/serve/tmpfiles.conf',
};

const COMPLETIONS = {
  bash: 'share/bash-completion/completions/ironic-coreos',
  zsh: 'share/zsh/site-functions/_ironic-coreos',
  fish: 'share/fish/vendor_completions.d/ironic-coreos.fish',
};

/**
 * Writes all files except the executable itself.
 * @param {string} root folder of the package, built
 * @param {string} prefix the folder in place of `/usr/local`
 * @param {import('./platforms.js').Platform} platform
 */
export function writeTree(root, prefix, platform) {
  /** @param {string} from @param {string} to */
  const copy = (from, to) => cpSync(join(root, from), join(prefix, to), { recursive: true });
  for (const name of ['LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md', 'docs', 'deploy'])
    copy(name, `share/doc/ironic-coreos/${name}`);
  copy('dist/schemas', 'share/doc/ironic-coreos/schemas');
  if (platform.host.startsWith('win32')) return;
  copy('dist/man', 'share/man/man1');
  const program = join(root, 'bin/ironic-coreos.js');
  for (const [shell, path] of Object.entries(COMPLETIONS)) {
    mkdirSync(dirname(join(prefix, path)), { recursive: true });
    writeFileSync(join(prefix, path), execFileSync(process.execPath, [program, 'completion', shell]));
  }
  if (!platform.host.startsWith('linux')) return;
  for (const [to, from] of Object.entries(UNITS)) copy(from, to);
}
