/**
 * File systems that podman has to write to run the agent, as the lint of sandboxes knows them: podman with file systems that
 * are read-only as ProtectSystem=strict, ReadOnlyPaths= and ReadWritePaths= of a unit make them.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lintConfig } from '../../src/agent/lint/lintConfig.ts';
import { sandboxRules } from '../../src/agent/lint/sandbox.ts';
import { now, withUnit } from '../agent/lint/support.ts';
import { have } from '../support/programs.ts';

/**
 * The shell script that runs `/bin/true` in a container as the unit runs the agent. $1 is the folder of the storage, $2 the paths
 * that are read-only, $3 those that are not.
 */
const script = `
set -e
mount --make-rprivate /
# crun accepts no mix of the versions of control groups.
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /run/$(basename "$1")
for path in $3; do mount --bind $path $path; done
is_below() { for top in $2; do [ "$top" = / ] && return 0; case $1 in $top|$top/*) return 0;; esac; done; return 1; }
for path in $2; do [ $path = / ] || mount --bind $path $path; done
cut -d ' ' -f 2 /proc/self/mounts | sort -u | while read -r path; do
  case $path in /dev*|/proc*|/sys*) continue;; esac
  if is_below $path "$2" && ! is_below $path "$3"; then mount -o remount,bind,ro "$path" 2>/dev/null || :; fi
done
for path in dev sys; do mounts="$mounts --mount type=bind,src=/$path,dst=/$path"; done
podman --root "$1/storage" --runroot /run/$(basename "$1") run --rm --privileged --cgroups=disabled --network host \\
  --ipc=host --uts=host --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 $mounts \\
  --mount type=bind,src=/,dst=/mnt/coreos --rootfs "$1/rootfs" /bin/true
`;

const isRoot = process.getuid?.() === 0 && have('podman') && have('unshare');
const folder = isRoot ? mkdtempSync('/var/lib/read-only-') : '';
if (isRoot) {
  for (const path of ['dev', 'sys', 'proc', 'etc', 'run', 'tmp', 'mnt/coreos'])
    mkdirSync(join(folder, 'rootfs', path), { recursive: true });
  const { stdout } = spawnSync('ldd', ['/bin/true'], { encoding: 'utf8' });
  for (const path of ['/bin/true', ...(stdout.match(/\/\S+/g) ?? [])]) {
    mkdirSync(join(folder, 'rootfs', dirname(path)), { recursive: true });
    copyFileSync(path, join(folder, 'rootfs', path));
  }
  writeFileSync(join(folder, 'script.sh'), script);
}

/** Whether podman runs a container. */
function runs(readOnly: string, writable: string): boolean {
  const args = ['--mount', 'sh', join(folder, 'script.sh'), folder, readOnly, writable];
  return spawnSync('unshare', args).status === 0;
}

const isAble = isRoot && runs('', '');
const note = isAble ? '' : ' (skipped: podman cannot run a container as root)';

describe.skipIf(!isAble)(`podman on a read-only system${note}`, { timeout: 60_000 }, () => {
  afterAll(() => {
    for (const path of [folder, `/run/${folder.split('/').at(-1)}`])
      rmSync(path, { recursive: true, force: true });
  });

  it.each([
    ['ProtectSystem=strict', '/', ''],
    ['ProtectSystem=strict\nReadWritePaths=/var', '/', '/var'],
    ['ProtectSystem=strict\nReadWritePaths=/run', '/', '/run'],
    ['ProtectSystem=strict\nReadWritePaths=/var /run /etc/containers', '/', '/var /run /etc/containers'],
    ['ReadOnlyPaths=/run', '/run', ''],
    ['ReadOnlyPaths=/var', '/var', ''],
    ['ReadOnlyPaths=/usr', '/usr', ''],
    ['ReadOnlyPaths=/tmp', '/tmp', ''],
  ])('runs the agent if the lint accepts %j', (lines, readOnly, writable) => {
    const unit = withUnit(['[Service]\n', `[Service]\n${lines}\n`]);
    const isRefused = lintConfig(unit, { now }).some(({ rule }) => rule.id === sandboxRules.sandbox.id);
    expect(runs(readOnly, writable)).toBe(!isRefused);
  });
});
