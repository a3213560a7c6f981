import { describe, expect, it } from 'vitest';
import { checkRamdiskArguments } from '../../../../src/commands/deploy/documents/node.ts';

const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';

describe('checkRamdiskArguments', () => {
  it.each([
    ['all that CoreOS needs', live, []],
    ['the default of the conductor', '%default% a=b', []],
    ['nothing', '', ['ramdisk-argument-missing']],
    ['no root filesystem', 'ignition.firstboot ignition.platform.id=metal', ['ramdisk-argument-missing']],
    ['an empty value', `${live} a=`, ['ramdisk-argument-syntax']],
    ['the SSH key of ironic-image', `${live} sshkey="ssh-ed25519 AAAA a@b"`, []],
    ['quotes that are not needed', `${live} a="b"`, []],
    ['an open quote', `${live} a="b c`, ['ramdisk-argument-syntax']],
    ['a quote inside a value', `${live} a=b"c d"`, ['ramdisk-argument-syntax']],
    ['an empty value in quotes', `${live} a=""`, ['ramdisk-argument-syntax']],
    ['quotes that the initramfs keeps', `${live} ip="dhcp"`, ['kernel-argument-quoted']],
    ['an installation', `${live} coreos.inst.install_dev=/dev/sda`, ['agent-installer']],
    ['an invalid network', `${live} ip=eno1:dhcp4`, ['ip-spec']],
    [
      'an unsupported scheme',
      'coreos.live.rootfs_url=ftp://h/r ignition.firstboot ignition.platform.id=metal',
      ['boot-url-scheme'],
    ],
    ['quotes behind --', `${live} -- "x y"`, ['ramdisk-argument-syntax']],
    ['a tab', `${live}\ta`, ['ramdisk-argument-syntax']],
    ['a strange name', `${live} a/b=c`, ['ramdisk-argument-syntax']],
    ['arguments of init', `${live} -- x`, []],
  ])('%s', (_title, text, rules) => {
    expect(checkRamdiskArguments(text).map(({ rule }) => rule)).toEqual(rules);
  });

  it('shows no values', () => {
    expect(JSON.stringify(checkRamdiskArguments('password="hunter2"'))).not.toContain('hunter2');
  });
});
