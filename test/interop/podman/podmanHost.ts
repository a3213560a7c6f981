/**
 * A host with podman and nothing loaded yet: the scripts of one call see mounts of their own over the folders that podman and
 * the agent's unit write to, so nothing of the real host is touched. It needs Linux and root.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** On the host `/` stays as it is; `/etc` can be written to. The storage driver works on every filesystem. */
const mounts = `
mount -t tmpfs none "$HOST"
mkdir -p "$HOST/etc" "$HOST/work" /var/lib/containers
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$HOST/etc,workdir=$HOST/work" /etc
mount -t tmpfs none /var/lib/containers
mount -t tmpfs none /run
mkdir -p /run/media/iso/coreos
export STORAGE_DRIVER=vfs
`;

export interface HostResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param folder where the scripts run, and what they write stays */
export function runOnHost(folder: string, script: string): HostResult {
  const host = mkdtempSync(join(folder, 'host-'));
  mkdirSync(host, { recursive: true });
  const { status, stderr, stdout } = spawnSync('unshare', ['--mount', 'sh', '-e', '-c', mounts + script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, HOST: host },
    timeout: 120_000,
  });
  rmSync(host, { recursive: true });
  return { code: status, stdout, stderr };
}
