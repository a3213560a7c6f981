import { describe, expect, it } from 'vitest';
import { type BootingIso, checkInitrd, checkIso } from '../../../src/image/inspection/imageChecks.ts';
import { noFeatures } from '../../../src/image/liveFeatures.ts';

const config = new Map([['config.ign', Buffer.from('{}')]]);
const keyfile = (text: string): Map<string, Buffer> =>
  new Map([...config, ['etc/coreos-firstboot-network/eth0.nmconnection', Buffer.from(text)]]);
const features = { ...noFeatures, liveInitrdNetwork: true };
const otherSystem = { ...noFeatures, otherSystem: true };
const kargs = 'coreos.liveiso=label-1 ignition.firstboot ignition.platform.id=metal';
const iso: BootingIso = { label: 'label-1', isMinimal: false, kargs, files: config, features };
const minimalKargs = 'ignition.firstboot ignition.platform.id=metal';

describe('checkIso', () => {
  it.each<[string, Partial<BootingIso>, readonly string[]]>([
    ['an image that boots the agent', {}, []],
    ['nothing embedded', { files: new Map() }, ['image-config-missing']],
    [
      'nothing embedded, but a URL',
      { files: new Map(), kargs: `${kargs} ignition.config.url=http://a/b` },
      [],
    ],
    ['a config and a URL', { kargs: `${kargs} ignition.config.url=http://a/b` }, ['image-config-twice']],
    ['no first boot', { kargs: 'coreos.liveiso=label-1 ignition.platform.id=metal' }, ['image-first-boot']],
    ['no platform', { kargs: 'coreos.liveiso=label-1 ignition.firstboot=1' }, ['image-first-boot']],
    ['another label', { label: 'label-2' }, ['image-label']],
    ['a label twice, the last one right', { kargs: `coreos.liveiso=x ${kargs}` }, []],
    [
      'a minimal ISO without root filesystem',
      { isMinimal: true, kargs: minimalKargs },
      ['image-rootfs-missing'],
    ],
    [
      'a minimal ISO with one',
      { isMinimal: true, kargs: `${minimalKargs}\tcoreos.live.rootfs_url=http://a/b` },
      [],
    ],
    ['another system', { kargs: '', files: new Map(), features: otherSystem }, []],
    ['another system with a config', { isMinimal: true, features: otherSystem }, []],
    ['a keyfile', { files: keyfile('[connection]\ntype=ethernet\n') }, []],
    ['network arguments alone', { kargs: `${kargs} ip=dhcp` }, []],
    ['a keyfile that is none', { files: keyfile('id=x\n') }, ['image-keyfile']],
    [
      'a keyfile with a name that NetworkManager skips',
      {
        files: new Map([
          ...config,
          ['etc/coreos-firstboot-network/eth0.backup', Buffer.from('[connection]\ntype=ethernet\n')],
        ]),
      },
      ['image-keyfile'],
    ],
    [
      'a keyfile that nobody reads',
      { files: keyfile('[connection]\ntype=ethernet\n'), features: noFeatures },
      ['image-network-support'],
    ],
    [
      'a keyfile, and features that are not known',
      { files: keyfile('[connection]\ntype=ethernet\n'), features: undefined },
      [],
    ],
    ['arguments that are not known', { kargs: undefined, files: new Map() }, []],
    ['files that are not known', { files: undefined }, []],
  ])('%s', (_title, changes, rules) => {
    expect(checkIso({ ...iso, ...changes }).map(({ rule }) => rule)).toEqual(rules);
  });

  it('names what is missing', () => {
    const [issue] = checkIso({ ...iso, kargs: 'coreos.liveiso=label-1' });
    expect(issue?.message).toMatch(/: ignition\.firstboot, ignition\.platform\.id$/);
  });
});

describe('checkInitrd', () => {
  it.each<[string, ReadonlyMap<string, Uint8Array>, readonly string[]]>([
    ['a config', config, []],
    ['none', new Map(), ['image-config-url']],
    ['a keyfile that is none', keyfile('x'), ['image-keyfile']],
  ])('%s', (_title, files, rules) => {
    expect(checkInitrd(files, features).map(({ rule }) => rule)).toEqual(rules);
  });
});
