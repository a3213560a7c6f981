/** What an image contains, and what an edit of it brings about: one list of checks. */

import { describe, expect, it } from 'vitest';
import { type BootContents, requireContents } from '../../../src/hosts/input/imageContents.ts';
import { collectDiagnostics } from '../../../src/io/report/report.ts';
import { createIo } from '../../support/createIo.ts';

const config = ['config.ign', Buffer.from('{"ignition":{"version":"3.4.0"}}')] as const;
const keyfile = [
  'etc/coreos-firstboot-network/eth0.nmconnection',
  Buffer.from('[connection]\nid=eth0\ntype=ethernet\n'),
] as const;
const kargs = 'ignition.firstboot ignition.platform.id=metal';

/** The rules of the warnings, or the message of the error. */
function outcome(contents: BootContents, before?: BootContents): readonly (string | undefined)[] {
  const { io, reported } = collectDiagnostics(createIo());
  requireContents(contents, { io, options: {} }, before);
  return reported.map(({ rule }) => rule);
}

describe('what an image contains', () => {
  it.each<[string, BootContents, readonly string[]]>([
    ['nothing that is known', {}, []],
    ['a config', { kargs, files: new Map([config]) }, []],
    [
      'a config that the system does not read',
      { files: new Map([config]), isOtherSystem: true },
      ['image-config-unread'],
    ],
    ['a network twice', { kargs: `${kargs} ip=dhcp`, files: new Map([keyfile]) }, ['image-network-twice']],
  ])('%s', (_title, contents, rules) => {
    expect(outcome(contents)).toEqual(rules);
    expect(outcome(contents, contents)).toEqual([]); // an edit reports only what it brings about
  });

  it('refuses a config that Ignition of the image cannot read', () => {
    const contents = { files: new Map([config]), build: 'rhcos-410.84.202201251210-0' };
    expect(() => outcome(contents)).toThrow('requires Ignition');
    expect(outcome(contents, contents)).toEqual([]);
  });
});
