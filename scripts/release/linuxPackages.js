// @ts-check
/** RPM and deb of an executable, built by nfpm (https://nfpm.goreleaser.com), which the environment variable NFPM may name. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProgram, listFiles } from './archive.js';

/** Libraries that Node is linked with, as each format names what it requires. */
const DEPENDS = {
  deb: ['libc6 (>= 2.28)', 'libstdc++6', 'libgcc-s1', 'libatomic1'],
  rpm: [
    'libc.so.6(GLIBC_2.28)(64bit)',
    'libstdc++.so.6()(64bit)',
    'libgcc_s.so.1()(64bit)',
    'libatomic.so.1()(64bit)',
  ],
};

const AFTER_INSTALL = `#!/bin/sh
set -e
if command -v systemd-sysusers > /dev/null; then
  systemd-sysusers ironic-coreos.conf
  systemd-tmpfiles --create ironic-coreos.conf
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
`;

/** The argument is "remove" from dpkg, and 0 from rpm, unless it is an update. */
const BEFORE_REMOVE = `#!/bin/sh
set -e
case "$1" in
  remove | 0) if [ -d /run/systemd/system ]; then systemctl --quiet disable --now ironic-coreos-serve.socket ironic-coreos-serve.service; fi ;;
esac
`;

/**
 * @param {string} prefix folder with the files for `/usr`
 * @param {string} output folder
 * @param {{ version: string, description: string, license: string, author: string, time: Date, architecture: { deb: string, rpm: string } }} about
 */
export function writeLinuxPackages(prefix, output, about) {
  const { author, license, version, description, time } = about;
  const folder = mkdtempSync(join(tmpdir(), 'nfpm-'));
  try {
    writeFileSync(join(folder, 'after'), AFTER_INSTALL, { mode: 0o755 });
    writeFileSync(join(folder, 'before'), BEFORE_REMOVE, { mode: 0o755 });
    for (const format of /** @type {const} */ (['deb', 'rpm'])) {
      const config = {
        name: 'ironic-coreos',
        arch: about.architecture[format],
        platform: 'linux',
        version,
        version_schema: 'semver',
        release: '1',
        section: 'admin',
        maintainer: author,
        description,
        license,
        mtime: time.toISOString(),
        depends: DEPENDS[format],
        contents: listFiles(prefix).map((path) => ({
          src: join(prefix, path),
          dst: `/usr/${format === 'deb' ? path.replace('zsh/site-functions', 'zsh/vendor-completions') : path}`,
          file_info: {
            mode: isProgram(path) ? 0o755 : 0o644,
            owner: 'root',
            group: 'root',
            mtime: time.toISOString(),
          },
        })),
        scripts: { postinstall: join(folder, 'after'), preremove: join(folder, 'before') },
        deb: { compression: 'gzip' },
        rpm: { compression: 'zstd', buildhost: 'localhost' },
      };
      const file = join(folder, `${format}.json`);
      writeFileSync(file, JSON.stringify(config));
      const args = ['package', '--config', file, '--packager', format, '--target', output];
      execFileSync(process.env['NFPM'] ?? 'nfpm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
