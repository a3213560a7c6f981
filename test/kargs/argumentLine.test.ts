/** Lines of kernel arguments: their quotes as GRUB and the kernel read them, and what upstream programs write. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkArgumentLine } from '../../src/kargs/argumentLine.ts';
import { isClosed, isOneArgument, splitArguments } from '../../src/kargs/argument.ts';
import { checkRamdiskArguments } from '../../src/commands/deploy/documents/node.ts';
import { have, oracleNote } from '../support/programs.ts';

describe('splitArguments', () => {
  it.each([
    ['a b=c', ['a', 'b=c']],
    [' a\t b\n', ['a', 'b']],
    ['a="b c" d', ['a="b c"', 'd']],
    ['"a=b c" d', ['"a=b c"', 'd']],
    ['a=b" "c d', ['a=b" "c', 'd']],
    ["a='b c'", ["a='b", "c'"]],
    ['a="b c d', ['a="b c d']],
    ['', []],
  ])('%j', (line, expected) => {
    expect(splitArguments(line)).toEqual(expected);
  });
});

describe('isOneArgument', () => {
  it.each(['a', 'a=b', 'a=', 'a="b c"', 'a="b"', "a='b'", 'systemd.setenv="A=b c"'])('accepts %s', (text) => {
    expect(isOneArgument(text)).toBe(true);
  });

  it.each(['a b', 'a="b', 'a=b"', 'a="b" c', 'a="b"c"', '"a=b"', 'a="b  c"', 'a=é', 'a\tb'])(
    'refuses %j',
    (text) => {
      expect(isOneArgument(text)).toBe(false);
    },
  );
});

describe(`isClosed${oracleNote('grub-script-check')}`, () => {
  it.runIf(have('grub-script-check'))('finds what GRUB and the kernel read otherwise for its quotes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'grub check '));
    const file = join(folder, 'grub.cfg');
    const line = fc.string({ unit: fc.constantFrom('a', 'b', '=', ' ', '"', "'", '\\'), maxLength: 14 });
    const isReadByGrub = (text: string): boolean => {
      writeFileSync(file, `menuentry x {\n  linux /k ${text}\n  initrd /i\n}\n`);
      return spawnSync('grub-script-check', [file]).status === 0;
    };
    try {
      fc.assert(
        fc.property(line, (end) => {
          const text = `x=${end}`;
          const joinsNextLine = /(?:^|[^\\])(?:\\\\)*\\$/.test(text);
          const isClosedForKernel = text.split('"').length % 2 === 1;
          expect(isClosed(text)).toBe(isReadByGrub(text) && isClosedForKernel && !joinsNextLine);
        }),
        { numRuns: 200 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

const liveIsos = [
  'mitigations=auto,nosmt coreos.liveiso=fedora-coreos-44.20260707.3.1 ignition.firstboot ignition.platform.id=metal',
  'random.trust_cpu=on coreos.liveiso=rhcos-47.84.202112162337-0 ignition.firstboot ignition.platform.id=metal',
  'rw coreos.liveiso=rhcos-10.2.20260701-0 ignition.firstboot ignition.platform.id=metal',
  'coreos.liveiso=rhcos-9.8.20260701-0 ignition.firstboot ignition.platform.id=metal',
];

/** kernel_append_params of each program, with a key. */
const conductors = [
  'nofb vga=normal',
  'nofb nomodeset vga=normal ipa-insecure=1  sshkey="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 root@host"  systemd.journald.forward_to_console=yes',
  'nofb nomodeset systemd.journald.forward_to_console=yes console=ttyS0 ipa-insecure=1 sshkey="ssh-rsa AAAAB3NzaC1yc2E= a@b"',
  'ipa-inspection-collectors=default,logs ipa-enable-vlan-interfaces=all ipa-inspection-dhcp-all-interfaces=1 ipa-collect-lldp=1',
];

describe('arguments that upstream programs write', () => {
  it.each([...liveIsos, ...conductors])('%s has no issue on an ISO', (line) => {
    expect(checkArgumentLine('', line)).toEqual([]);
  });

  it.each(conductors)('%s lacks only arguments of CoreOS in Ironic', (line) => {
    expect(checkRamdiskArguments(line).map(({ rule }) => rule)).toEqual(['ramdisk-argument-missing']);
  });
});

describe('checkArgumentLine', () => {
  it('reports only arguments that an edit adds', () => {
    expect(checkArgumentLine('ip=eno1:dhcp4 a', 'ip=eno1:dhcp4 b')).toEqual([]);
    expect(checkArgumentLine('a', 'a ip=eno1:dhcp4')).toHaveLength(1);
  });
});
