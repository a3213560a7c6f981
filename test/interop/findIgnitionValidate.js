// @ts-check
/** The real ignition-validate, for tests and scripts that compare with it. */

import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Ignition 2.26 refuses this config: a partition without a number beside one that shall not exist, and virtiofs. */
const acceptedSince227 = JSON.stringify({
  ignition: { version: '3.7.0-experimental' },
  storage: {
    disks: [{ device: '/dev/sda', partitions: [{ number: 1, shouldExist: false }, { label: 'data' }] }],
    filesystems: [{ device: 'tag', format: 'virtiofs', path: '/var/tag' }],
  },
});

/**
 * $IGNITION_VALIDATE, else `ignition-validate` or `validate` on PATH, else what
 * `go install github.com/coreos/ignition/v2/validate@v2.27.0` writes; undefined if none is 2.27 or newer.
 * @returns {string | undefined}
 */
export function findIgnitionValidate() {
  const candidates = [
    process.env['IGNITION_VALIDATE'],
    'ignition-validate',
    'validate',
    join(homedir(), 'go/bin/validate'),
  ];
  return candidates
    .filter((name) => name !== undefined)
    .find((name) => spawnSync(name, ['-'], { input: acceptedSince227 }).status === 0);
}
