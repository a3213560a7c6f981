import { describe, expect, it } from 'vitest';
import { checkRamdiskArguments } from '../../../src/deploy/documents/node.ts';

const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';

describe('checkRamdiskArguments', () => {
  it.each([
    ['all that CoreOS needs', live, []],
    ['the default of the conductor', '%default% a=b', []],
    ['nothing', '', ['ramdisk-argument-missing']],
    ['no root filesystem', 'ignition.firstboot ignition.platform.id=metal', ['ramdisk-argument-missing']],
    ['an empty value', `${live} a=`, ['ramdisk-argument-syntax']],
    ['a quote', `${live} a="b"`, ['ramdisk-argument-syntax']],
    ['a tab', `${live}\ta`, ['ramdisk-argument-syntax']],
    ['a strange name', `${live} a/b=c`, ['ramdisk-argument-syntax']],
    ['arguments of init', `${live} -- x`, []],
  ])('%s', (_title, text, rules) => {
    expect(checkRamdiskArguments(text).map(({ rule }) => rule.id)).toEqual(rules);
  });

  it('shows no values', () => {
    expect(JSON.stringify(checkRamdiskArguments('password="hunter2"'))).not.toContain('hunter2');
  });
});
