/** Names of the files of hosts, and what they may stand for. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostFileName, parseHostFileName } from '../../../src/hosts/plan/servedPaths.ts';

describe('files of hosts', () => {
  it.each([
    ['worker-0.iso', [['worker-0', 'iso']]],
    [
      'worker-minimal.iso',
      [
        ['worker-minimal', 'iso'],
        ['worker', 'minimal-iso'],
      ],
    ],
    ['a.example.org.ign', [['a.example.org', 'ign']]],
    ['w.initramfs', [['w', 'initramfs']]],
    ['w.img', [['w', 'archive']]],
    ['.iso', []],
    ['worker-0', []],
    ['worker-0.iso.sha256', []],
    ['', []],
  ])('%s', (name, expected) => {
    expect(parseHostFileName(name).map(({ host, artifact }) => [host, artifact])).toEqual(expected);
  });

  it('finds every name that it makes', () => {
    const artifacts = ['iso', 'minimal-iso', 'initramfs', 'ign', 'archive'] as const;
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.constantFrom(...artifacts), (host, artifact) => {
        expect(parseHostFileName(hostFileName(host, artifact))).toContainEqual({ host, artifact });
      }),
    );
  });
});
