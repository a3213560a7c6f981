/** Who may fetch what. */

import { describe, expect, it } from 'vitest';
import { type Grant, permits, UNKNOWN_MACHINES } from '../../../../src/http/server/answer/access.ts';

const all: Grant = { kind: 'all' };
const host: Grant = { kind: 'host', host: 'a' };
const boot: Grant = { kind: 'boot' };

describe('access', () => {
  it.each([
    ['an ISO of the host itself', 'iso', 'a', [all, host]],
    ['an ISO of another host', 'iso', 'b', [all]],
    ['a config of another host', 'ign', 'b', [all]],
    ['a kernel', 'kernel', undefined, [all, host, boot]],
    ['a root filesystem', 'rootfs', undefined, [all, host, boot]],
    ['the script that all machines read', 'script', undefined, [all, boot]],
    ['the script of the host itself', 'script', 'a', [all, host, boot]],
    ['the script of another host', 'script', 'b', [all, boot]],
    ['a config for machines that are not listed', 'ign', UNKNOWN_MACHINES, [all, boot]],
  ] as const)('%s', (_title, artifact, owner, expected) => {
    const entry = { artifact, host: owner };
    expect([all, host, boot].filter((grant) => permits(grant, entry))).toEqual(expected);
  });
});
