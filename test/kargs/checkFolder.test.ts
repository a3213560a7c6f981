import { describe, expect, it } from 'vitest';
import type { BootSettings } from '../../src/kargs/bootSettings.ts';
import type { Architecture } from '../../src/core/architecture.ts';
import { checkNetworkBoot } from '../../src/kargs/checkFolder.ts';
import type { NetworkBoot } from '../../src/kargs/folder.ts';
import type { NetworkHost } from '../../src/kargs/loaders/loader.ts';
import { isoHost, networkBoot, ramdiskHost, settings } from './bootFolder.ts';

const hostWith = (changes: Partial<BootSettings>, architecture: Architecture = 'x86_64'): NetworkHost => ({
  ...ramdiskHost,
  start: { kind: 'ramdisk', architecture, settings: { ...settings, ...changes } },
});
const bootOf = (...hosts: NetworkHost[]): NetworkBoot => ({ ...networkBoot, hosts });
/** `host severity rule message`, without remarks that are only for information. */
const linesOf = (boot: NetworkBoot): string[] =>
  [...checkNetworkBoot(boot)].flatMap(({ host = '*', findings }) =>
    findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ severity, rule, message }) => `${host} ${severity} ${rule} ${message}`),
  );
const argumentOfLength = (length: number): string => `x=${'y'.repeat(length - 2)}`;

describe('checkNetworkBoot', () => {
  it('has nothing to say of a sound folder but where an ISO starts', () => {
    expect(
      [...checkNetworkBoot(networkBoot)].map(({ host, findings }) => [
        host,
        findings.map(({ rule }) => rule),
      ]),
    ).toEqual([['worker-3', ['boot-iso-san']]]);
  });

  it.each<[string, NetworkBoot, string]>([
    ['no address', bootOf({ ...ramdiskHost, macs: [] }), 'worker-1 warning boot-host-unfound'],
    [
      'expansion of iPXE',
      bootOf(hostWith({ extraArguments: ['a=${node}'] })),
      'worker-1 error ipxe-expansion a=${node}: iPXE',
    ],
    [
      'quote for GRUB',
      bootOf(hostWith({ extraArguments: ["a='b'"] })),
      "worker-1 error grub-quotes a='b': GRUB",
    ],
    [
      'appended archive with a comma',
      bootOf(hostWith({ appendedUrls: ['http://h/a,b'] })),
      'worker-1 error pxelinux-comma http://h/a,b: PXELINUX',
    ],
    [
      'appended archive by a scheme that no loader has',
      bootOf(hostWith({ appendedUrls: ['s3://h/a'] })),
      'worker-1 error boot-url-scheme s3://h/a: unsupported URL scheme',
    ],
    [
      'blank',
      bootOf(hostWith({ extraArguments: ['a b'] })),
      'worker-1 error argument-characters "a b": the argument contains',
    ],
    [
      'BOOTIF',
      bootOf(hostWith({ extraArguments: ['BOOTIF=x'] })),
      'worker-1 error argument-of-loader BOOTIF=x: the boot loader',
    ],
    [
      'secret in an argument',
      bootOf(hostWith({ extraArguments: ['my-token="abc'] })),
      'worker-1 error argument-characters my-token=(secret): the argument contains',
    ],
    [
      'secret in a URL',
      bootOf(hostWith({ rootfsUrl: 'http://me:pw@h/r' })),
      'worker-1 warning boot-url-credentials coreos.live.rootfs_url=http://(secret)@h/r: the URL',
    ],
    [
      'ISO by a scheme of its own',
      bootOf({ ...isoHost, start: { kind: 'iso', architecture: 'x86_64', url: 'nfs://h/a.iso' } }),
      'worker-3 error boot-url-scheme nfs://h/a.iso: unsupported URL scheme',
    ],
    [
      'ISO with a comma for dnsmasq',
      bootOf({ ...isoHost, start: { kind: 'iso', architecture: 'x86_64', url: 'http://h/a,b.iso' } }),
      'worker-3 error boot-iso-characters http://h/a,b.iso: the URL',
    ],
    [
      'ISO with an expansion',
      bootOf({ ...isoHost, start: { kind: 'iso', architecture: 'x86_64', url: 'http://h/${mac}.iso' } }),
      'worker-3 error kernel-argument-loader-setting http://h/${mac}.iso: only iPXE',
    ],
    [
      'folder',
      { ...networkBoot, folderUrl: 'tftp://h' },
      '* error boot-folder-url invalid URL of the folder for DHCP',
    ],
    [
      'discovery',
      {
        ...networkBoot,
        discovery: [
          { kind: 'ramdisk', architecture: 'x86_64', settings: { ...settings, extraArguments: ['${x}'] } },
        ],
      },
      '* error ipxe-expansion ${x}: iPXE',
    ],
  ])('%s', (_title, boot, start) => {
    const [line, ...others] = linesOf(boot);
    expect(line?.slice(0, start.length)).toBe(start);
    expect(others).toEqual([]);
  });

  it.each([
    ['http://h/${mac}.iso', []],
    ['http://h/${net0/mac:hexhyp}/${uuid}.iso', []],
    ['http://h/${node}.iso', ['ipxe-expansion']],
  ])('%s, started by iPXE alone', (url, expected) => {
    const { folderUrl: _, ...boot } = bootOf({
      ...isoHost,
      start: { kind: 'iso', architecture: 'x86_64', url },
    });
    const rules = [...checkNetworkBoot({ ...boot, loaders: ['ipxe'] })].flatMap(({ findings }) =>
      findings.map(({ rule }) => rule),
    );
    expect(rules.filter((rule) => rule !== 'boot-iso-san')).toEqual(expected);
  });

  it('says what several loaders cannot do once', () => {
    expect(linesOf(bootOf(hostWith({ extraArguments: ['initrd=x'] })))).toEqual([
      'worker-1 error argument-of-loader initrd=x: the boot loader sets initrd= itself',
    ]);
  });

  it('cuts a long value', () => {
    const [line] = linesOf(bootOf(hostWith({ extraArguments: [`a="${'b'.repeat(200)}`] })));
    expect(line).toMatch(/ a="b{77}…: the argument contains/);
  });

  it.each<[Architecture, number]>([
    ['x86_64', 2047],
    ['aarch64', 2047],
    ['ppc64le', 2047],
    ['s390x', 895],
  ])('%s: takes a command line of %i bytes and no more', (architecture, longest) => {
    const lengthOf = (length: number): string[] =>
      linesOf(bootOf(hostWith({ extraArguments: [argumentOfLength(length)] }, architecture)));
    const [message = ''] = lengthOf(3000);
    const [, total = '', limit] = /too long: (\d+) > (\d+) bytes/.exec(message) ?? [];
    expect(limit).toBe(String(longest));
    const room = 3000 - (Number(total) - longest);
    expect(lengthOf(room)).toEqual([]);
    expect(lengthOf(room + 1)).toHaveLength(1);
  });
});
