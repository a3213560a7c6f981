/** Whatever passes the checks arrives at the kernel as it was given: each loader's reading is written down here. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BootFormName, bootFormNames, bootForms } from '../../src/kargs/bootForms.ts';
import type { BootSettings } from '../../src/kargs/bootSettings.ts';
import { checkBoot } from '../../src/kargs/checkBoot.ts';
import { kernelArguments } from '../../src/kargs/kernelArguments.ts';
import { quoteGrub } from '../../src/kargs/loaders/grub.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runIpxe } from './ipxeInterpreter.ts';
import { lineOf, readGrub } from './loaderReaders.ts';

const base: BootSettings = {
  kernelUrl: 'http://192.0.2.1/images/ironic-python-agent.kernel',
  initramfsUrl: 'http://192.0.2.1/images/ironic-python-agent.initramfs',
  rootfsUrl: 'http://192.0.2.1/images/ironic-python-agent.rootfs',
  ignitionUrl: 'https://192.0.2.1/ironic-python-agent.ign',
  embedded: false,
  ip: [],
  consoles: [],
  ipaParameters: [],
  extraArguments: [],
};
const full: BootSettings = {
  ...base,
  ip: ['dhcp'],
  consoles: ['tty0', 'ttyS0,115200n8'],
  ipaParameters: ['insecure=1', 'ipa-inspection-collectors=default,logs'],
  extraArguments: ['systemd.journald.forward_to_console=yes', 'fips=1'],
};
const awkward: BootSettings = {
  ...base,
  ignitionUrl: 'https://[2001:db8::1]:8443/c?host=a&key=$b;{c}|<d>',
  extraArguments: ['note=a;b&c|d<e>{f}$g*?~`!()#%'],
};

const errorsOf = (settings: BootSettings, name: BootFormName): string[] =>
  checkBoot(settings, bootForms[name])
    .filter(({ severity }) => severity === 'error')
    .map(({ rule }) => rule);

/** The command line that the kernel gets of a text, without what the loader adds: the reading of each loader. */
const readers: Record<BootFormName, (text: string) => readonly string[]> = {
  plain: (text) => text.trimEnd().split(' '),
  json: (text) => [...text.matchAll(/^ {4}(".*"),?$/gm)].map(([, item]) => String(JSON.parse(item ?? ''))),
  ironic: (text) =>
    lineOf(text, 'kernel_append_params = ')
      .replaceAll(/\\\$|\$\$/g, '$')
      .split(' '),
  ipxe: (text) => runIpxe(text, { settings: { mac: 'MAC' }, fetch: () => '' }).arguments.slice(0, -2),
  grub: (text) => readGrub(text, {}).arguments,
  pxelinux: (text) => lineOf(text, 'append ').split(' '),
};

describe('boot forms', () => {
  it.each(bootFormNames)('%s: full settings', async (name) => {
    expect(checkBoot(full, bootForms[name])).toEqual([]);
    await expect(bootForms[name].render(full)).toMatchFileSnapshot(`../golden/boot/full.${name}`);
  });

  it.each(bootFormNames)('%s: characters that mean something to a shell', async (name) => {
    expect(errorsOf(awkward, name)).toEqual([]);
    await expect(bootForms[name].render(awkward)).toMatchFileSnapshot(`../golden/boot/awkward.${name}`);
  });

  it.each(bootFormNames)('%s: any added argument is refused or arrives unchanged', (name) => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom(...'a=$\\{}\'";&|#<> \t'.split('')), minLength: 1, maxLength: 6 }),
    );
    fc.assert(
      fc.property(word, (argument) => {
        const settings = { ...base, extraArguments: [`x=${argument}`, argument] };
        if (errorsOf(settings, name).length > 0) return;
        expect(readers[name](bootForms[name].render(settings))).toEqual(kernelArguments(settings));
      }),
      { numRuns: 120 },
    );
  });

  it.each(bootFormNames)('%s: any URL is refused or arrives unchanged', (name) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 12 }), (tail) => {
        const settings = { ...base, ignitionUrl: `https://h/${tail}`, kernelUrl: `http://h/${tail}` };
        if (errorsOf(settings, name).length > 0) return;
        expect(readers[name](bootForms[name].render(settings))).toEqual(kernelArguments(settings));
      }),
    );
  });
});

describe('quoteGrub', () => {
  it.each([
    ['ip=dhcp', 'ip=dhcp'],
    ['console=ttyS0,115200n8', 'console=ttyS0,115200n8'],
    ['(http,192.0.2.1)/kernel', "'(http,192.0.2.1)/kernel'"],
    ['a$b', "'a$b'"],
    ['', "''"],
  ])('%s', (word, quoted) => {
    expect(quoteGrub(word)).toBe(quoted);
  });
});

describe.skipIf(!have('grub-script-check'))(`grub-script-check${oracleNote('grub-script-check')}`, () => {
  it.each([
    ['full settings', full],
    ['characters that mean something to a shell', awkward],
  ])('accepts %s', (_title, settings) => {
    expect(scriptCheck(bootForms.grub.render(settings))).toBe(0);
  });

  it('accepts any argument that the checks accept', () => {
    const word = fc.string({
      unit: fc.constantFrom(...'a=${};&|#<>!*?[]()~`%@'.split('')),
      minLength: 1,
      maxLength: 12,
    });
    const lines = fc.sample(word, 200).flatMap((text) => {
      const settings = { ...base, extraArguments: [`x=${text}`] };
      return errorsOf(settings, 'grub').length > 0 ? [] : [bootForms.grub.render(settings)];
    });
    expect(lines.length).toBeGreaterThan(100);
    expect(scriptCheck(lines.join('\n'))).toBe(0);
  });
});

function scriptCheck(text: string): number | null {
  const folder = mkdtempSync(join(tmpdir(), 'grub check '));
  try {
    const file = join(folder, 'grub.cfg');
    writeFileSync(file, text);
    return spawnSync('grub-script-check', [file]).status;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sound: BootSettings = {
  kernelUrl: 'http://h/kernel',
  initramfsUrl: 'http://h/initramfs',
  rootfsUrl: 'http://h/rootfs',
  ignitionUrl: 'https://192.0.2.1/config.ign',
  embedded: false,
  ip: [],
  consoles: [],
  ipaParameters: [],
  extraArguments: [],
};

type Case = readonly [title: string, change: Partial<BootSettings>, expected: string];

const extra = (...extraArguments: string[]): Partial<BootSettings> => ({ extraArguments });

function findings(change: Partial<BootSettings>, form: BootFormName): string {
  const settings = { ...sound, ...change };
  return checkBoot(settings, bootForms[form])
    .map(({ severity, rule, path }) => `${severity} ${rule} ${path.join('.')}`.trimEnd())
    .join('; ');
}

describe('checkBoot, for every form', () => {
  it.each<Case>([
    ['sound settings', {}, ''],
    ['a blank in an argument', extra('a b'), 'error argument-characters extraArguments.0'],
    ['a line break', extra('a', 'b\nc'), 'error argument-characters extraArguments.1'],
    ['a control character', extra('a\u0007'), 'error argument-characters extraArguments.0'],
    ['an open double quote', extra('sshkey="a'), 'error argument-characters extraArguments.0'],
    [
      'a byte that the kernel takes for a blank (à is C3 A0)',
      extra('a=à'),
      'error argument-characters extraArguments.0',
    ],
    ['an empty argument', extra(''), 'error argument-empty extraArguments.0'],
    ['an argument without a name', extra('=a'), 'error argument-empty extraArguments.0'],
    ['another rootfs scheme', { rootfsUrl: 'ftp://h/r' }, 'error boot-url-scheme rootfsUrl'],
    ['a rootfs path', { rootfsUrl: '/images/rootfs' }, 'error boot-url-scheme rootfsUrl'],
    ['a rootfs from tftp', { rootfsUrl: 'tftp://h/r' }, ''],
    ['a rootfs without a host', { rootfsUrl: 'http:///r' }, 'error boot-url-host rootfsUrl'],
    ['a config from s3', { ignitionUrl: 's3://bucket/c.ign' }, ''],
    ['another config scheme', { ignitionUrl: 'file:///c.ign' }, 'error boot-url-scheme ignitionUrl'],
    ['a config without a host', { ignitionUrl: 'https:///c.ign' }, 'error boot-url-host ignitionUrl'],
    ['a config over plain http', { ignitionUrl: 'http://h/c' }, 'warning ignition-url-plaintext ignitionUrl'],
    ['a config over tftp', { ignitionUrl: 'tftp://h/c' }, 'warning ignition-url-plaintext ignitionUrl'],
    [
      'a config from a private address',
      { ignitionUrl: 'https://10.0.0.1/c' },
      'warning ignition-url-issuer ignitionUrl',
    ],
    ['a rootfs from a private address, whose hash is verified', { rootfsUrl: 'https://10.0.0.1/r' }, ''],
    [
      'a config with credentials',
      { ignitionUrl: 'https://u:p@192.0.2.1/c' },
      'warning boot-url-credentials ignitionUrl',
    ],
    [
      'a variable that is set twice',
      extra('systemd.setenv=A=1', 'systemd.setenv=A=2', 'systemd.setenv=B=2'),
      'warning argument-repeated extraArguments.1',
    ],
    [
      'a proxy password',
      extra('systemd.setenv=HTTPS_PROXY=http://me:hunter2@p', 'systemd.setenv=A=http://me:hunter2@p'),
      'warning boot-url-credentials extraArguments.0',
    ],
    ['a variable without a name', extra('systemd.setenv'), ''],
    ['a config in both places', { embedded: true }, 'error ignition-twice embedded'],
    [
      'an added URL of a config, too',
      { ignitionUrl: 'https://192.0.2.1/a', ...extra('ignition.config.url=https://192.0.2.1/b') },
      'error argument-conflict extraArguments.0',
    ],
    ['another platform', extra('ignition.platform.id=qemu'), 'error argument-conflict extraArguments.0'],
    ['Ignition switched off', extra('ignition.firstboot=0'), 'error argument-conflict extraArguments.0'],
    [
      'the label of a live ISO',
      extra('coreos.liveiso=fedora-coreos'),
      'error argument-liveiso extraArguments.0',
    ],
    ['an installation', extra('coreos.inst.install_dev=/dev/sda'), 'error agent-installer extraArguments.0'],
    ['a misspelled argument', extra('ignition.frstboot'), 'warning argument-unknown extraArguments.0'],
    ['an argument of CoreOS', extra('coreos.liveiso.fromram'), ''],
    ['a shell', extra('rd.break=pre-mount'), 'warning argument-stops-boot extraArguments.0'],
    ['a target without services', extra('single'), 'warning argument-stops-boot extraArguments.0'],
    ['the usual init', extra('init=/sbin/init', 'rd.route=198.51.100.0/24:192.0.2.1'), ''],
    ['the init of a system without its own /lib', extra('init=/lib/systemd/systemd'), ''],
    ['a bond', extra('bond=bond0:eno1,eno2:mode=activ-backup'), 'warning argument-value extraArguments.0'],
    ['usual bonds', extra('bond=bond0:eno1:mode=802.3ad,miimon=100', 'bond=bond1', 'vlan=a.5:a'), ''],
    ['a VLAN', extra('vlan=eno1'), 'warning argument-value extraArguments.0'],
    ['a DNS server', extra('nameserver=192.0.2.300'), 'warning argument-value extraArguments.0'],
    ['DNS servers', extra('nameserver=192.0.2.3', 'nameserver=[2001:db8::1]', 'nameserver=dns+tls://a'), ''],
    ['a URL with a version', extra('ipa-api-url=http://a/v1'), 'warning conf-unusable extraArguments.0'],
    ['the initramfs of a loader', extra('initrd=a.img'), 'error argument-of-loader extraArguments.0'],
    ['a wrong console', { consoles: ['tty0', 'COM1'] }, 'warning console-spec consoles.1'],
    ['a wrong console that is added', extra('console=COM1'), 'warning console-spec extraArguments.0'],
    ['a wrong network', { ip: ['dhpc'] }, 'error ip-spec ip.0'],
    [
      'a network that is not wanted after all',
      { ip: ['dhcp'], ...extra('rd.neednet=0') },
      'error argument-conflict extraArguments.0',
    ],
    ['networks of two interfaces', { ip: ['eth0:dhcp', 'eth1:dhcp6'] }, ''],
    [
      'two values of the agent',
      { ipaParameters: ['insecure=1', 'insecure=0'] },
      'error argument-conflict ipaParameters.1',
    ],
    [
      'two values of the agent, one added',
      { ipaParameters: ['insecure=1'], ...extra('ipa-insecure=0') },
      'error argument-conflict extraArguments.0',
    ],
    [
      'two values of another argument',
      extra('loglevel=3', 'loglevel=7'),
      'warning argument-repeated extraArguments.1',
    ],
    ['an argument that may repeat', extra('nameserver=192.0.2.1', 'nameserver=192.0.2.2'), ''],
    [
      'disks of IBM Z',
      extra('rd.dasd=0.0.3490', 'rd.dasd=0.0.3491', 'rd.zfcp=0.0.1900', 'rd.zfcp=0.0.1901'),
      '',
    ],
    ['pages of two sizes', extra('hugepagesz=1G', 'hugepages=4', 'hugepagesz=2M', 'hugepages=8'), ''],
    ['the same argument twice', extra('quiet', 'quiet'), ''],
    [
      'two mistakes',
      { ip: ['dhpc'], consoles: ['x'] },
      'error ip-spec ip.0; warning console-spec consoles.0',
    ],
    ['2 KiB of arguments', extra(`a=${'b'.repeat(2048)}`), 'error command-line-length'],
  ])('%s', (_title, change, expected) => {
    for (const form of bootFormNames) expect(findings(change, form)).toBe(expected);
  });

  it.each([
    [extra('ipa-insecure=1', 'ipa-insecure=0'), 'pass ipa-insecure= once'],
    [extra('loglevel=3', 'loglevel=7'), 'pass loglevel= once, unless it is repeatable'],
  ])('%j: the hint of the repetition', (change, hint) => {
    expect(checkBoot({ ...sound, ...change }, bootForms.plain).map((finding) => finding.hint)).toEqual([
      hint,
    ]);
  });

  it('warns where no config and no root filesystem are named', () => {
    const { rootfsUrl: _rootfs, ignitionUrl: _ignition, ...rest } = sound;
    expect(checkBoot(rest, bootForms.plain).map(({ rule }) => rule)).toEqual([
      'ignition-missing',
      'rootfs-url-missing',
    ]);
    expect(checkBoot({ ...rest, embedded: true }, bootForms.plain).map(({ rule }) => rule)).toEqual([
      'rootfs-url-missing',
    ]);
  });
});

describe('checkBoot, for one form', () => {
  it.each<readonly [BootFormName, ...Case]>([
    ['ipxe', 'a setting of the machine', extra('a=${net0/mac}'), ''],
    ['ipxe', 'the UUID of the machine beside text', extra('id=node-${uuid}'), ''],
    [
      'ipxe',
      'settings of SMBIOS and of the DHCP proxy',
      extra('a=${smbios/1.5.0:string}-${proxydhcp/filename}-${hwaddr}'),
      '',
    ],
    ['ipxe', 'a setting of DHCP in a URL', { kernelUrl: 'http://${next-server}/kernel' }, ''],
    [
      'ipxe',
      'a network of the machine',
      { ip: ['${net0/ip}::${net0.dhcp/gateway}:${netmask}::eth0:none'] },
      '',
    ],
    ['ipxe', 'a gateway of the machine', { ip: ['192.0.2.5::${gateway}:24::eth0:none'] }, ''],
    ['ipxe', 'an interface by its MAC address', extra('ifname=net0:${net0/mac}'), ''],
    ['ipxe', 'an unknown setting', extra('a=${net0/mca}'), 'error ipxe-expansion extraArguments.0'],
    ...(['plain', 'grub', 'pxelinux'] as const).map((form): readonly [BootFormName, ...Case] => [
      form,
      'a setting of iPXE in an argument',
      extra('a=${serial}'),
      'error kernel-argument-loader-setting extraArguments.0',
    ]),
    ['plain', 'a variable that iPXE does not have', extra('a=${b}'), ''],
    [
      'ipxe',
      'a setting of iPXE in a URL',
      { kernelUrl: 'http://h/${arch}' },
      'error ipxe-expansion kernelUrl',
    ],
    ['ipxe', 'the MAC address in a URL', { rootfsUrl: 'http://h/${mac:hexhyp}/${net0/mac}' }, ''],
    [
      'ipxe',
      'an unknown setting in a URL',
      { rootfsUrl: 'http://h/${mc}' },
      'error ipxe-expansion rootfsUrl',
    ],
    ...(['plain', 'json', 'grub', 'pxelinux'] as const).map((form): readonly [BootFormName, ...Case] => [
      form,
      'a setting of iPXE in a URL',
      { rootfsUrl: 'http://h/${mac:hexhyp}' },
      'error kernel-argument-loader-setting rootfsUrl',
    ]),
    ['ipxe', 'a dollar sign alone', extra('a=$b'), ''],
    ['ipxe', 'a comment', extra('#a'), 'error ipxe-word extraArguments.0'],
    ['ipxe', 'an operator', extra('||'), 'error ipxe-word extraArguments.0'],
    [
      'ipxe',
      'BOOTIF, which the script sets',
      extra('BOOTIF=01-52'),
      'error argument-of-loader extraArguments.0',
    ],
    ['ipxe', 'a kernel path', { kernelUrl: 'kernel' }, 'error boot-url-scheme kernelUrl'],
    ['ipxe', 'a blank in a URL', { initramfsUrl: 'http://h/a b' }, 'error image-url-characters initramfsUrl'],
    ['grub', 'https', { kernelUrl: 'https://h/k' }, 'error boot-url-scheme kernelUrl'],
    ['grub', 'a port', { kernelUrl: 'http://h:8080/k' }, 'warning grub-port kernelUrl'],
    ['grub', 'the usual port', { kernelUrl: 'http://h:80/k' }, ''],
    ['grub', 'the usual port of TFTP', { kernelUrl: 'tftp://[2001:db8::1]:69/k' }, ''],
    [
      'grub',
      'the usual port of HTTP for TFTP',
      { kernelUrl: 'tftp://h:80/k' },
      'warning grub-port kernelUrl',
    ],
    [
      'grub',
      'credentials',
      { kernelUrl: 'http://u@h/k' },
      'warning boot-url-credentials kernelUrl; error grub-credentials kernelUrl',
    ],
    ['grub', 'a quote', extra("a='b'"), 'error grub-quotes extraArguments.0'],
    ['grub', 'a backslash', extra('a=\\x20'), 'error grub-quotes extraArguments.0'],
    ['grub', 'BOOTIF, which GRUB does not set', extra('BOOTIF=01-52'), ''],
    [
      'pxelinux',
      'a list of initramfs',
      { initramfsUrl: 'http://h/a,b' },
      'error pxelinux-comma initramfsUrl',
    ],
    ['ironic', 'a setting of iPXE', extra('a=${mac}'), 'warning ironic-grub extraArguments.0'],
    ['ironic', 'an unknown setting of iPXE', extra('a=${mc}'), 'error ipxe-expansion extraArguments.0'],
    ['ironic', 'what GRUB would cut', extra('a=b&c'), 'warning ironic-grub extraArguments.0'],
    [
      'ironic',
      'a name that Ironic refuses',
      extra('a/b=c'),
      'error ramdisk-argument-syntax extraArguments.0',
    ],
    ['ironic', 'an empty value', extra('a='), 'error ramdisk-argument-syntax extraArguments.0'],
    ['ironic', 'an empty value in quotes', extra('a=""'), 'error ramdisk-argument-syntax extraArguments.0'],
    ['ironic', 'a value with spaces', extra('a="b c"'), ''],
    ['plain', 'a quote', extra("a='b'"), ''],
    ['plain', 'no installation', extra('coreos.inst.install_dev='), ''],
    ['plain', 'an empty console, which is none, as console=null', extra('console='), ''],
  ])('%s: %s', (form, _title, change, expected) => {
    expect(findings(change, form)).toBe(expected);
  });

  it('counts what the loader adds to the command line', () => {
    const room =
      2047 -
      'coreos.live.rootfs_url=http://h/rootfs ignition.firstboot ignition.platform.id=metal  a='.length;
    const { ignitionUrl: _, ...rest } = sound;
    const rules = (length: number, form: BootFormName): string[] =>
      checkBoot({ ...rest, embedded: true, ...extra(`a=${'b'.repeat(length)}`) }, bootForms[form]).map(
        ({ rule }) => rule,
      );
    expect(rules(room, 'plain')).toEqual([]);
    expect(rules(room + 2, 'plain')).toEqual(['command-line-length']);
    expect(rules(room, 'ipxe')).toEqual(['command-line-length']);
  });
});
