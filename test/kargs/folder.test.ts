import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kernelArguments } from '../../src/kargs/kernelArguments.ts';
import { checkNetworkBoot } from '../../src/kargs/checkFolder.ts';
import { type NetworkBoot, networkLoaders, withBootInterface } from '../../src/kargs/folder.ts';
import type { RamdiskBoot } from '../../src/kargs/loaders/loader.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runIpxe } from './ipxeInterpreter.ts';
import { readGrub, readPxelinux } from './loaderReaders.ts';
import { appendedHost, fileOf, filesOf, isoHost, networkBoot, ramdiskHost, settings } from './bootFolder.ts';

const mac = '52:54:00:12:34:56';
const nothing: NetworkBoot = { hosts: [], discovery: [], loaders: networkLoaders };

/** The machine with this interface reads `boot.ipxe`, as iPXE would. */
function startByIpxe(boot: NetworkBoot, architecture: string, ...macs: string[]) {
  const files = filesOf(boot);
  const nics = macs.map((address, index) => [`net${index}/mac`, address]);
  return runIpxe(files.get('boot.ipxe') ?? '', {
    settings: { buildarch: architecture, mac: macs[0] ?? '', ...Object.fromEntries(nics) },
    fetch: (url) => files.get(url) ?? (url.includes('://') ? '' : undefined),
  });
}

describe('the files of a network boot', () => {
  it.each([...filesOf(networkBoot)])('%s', async (path, text) => {
    await expect(text).toMatchFileSnapshot(`../golden/boot/network/${path}`);
  });

  it('are the same under the name of a host and each of its addresses', () => {
    const [first, ...others] = ['worker-2', 'mac-52-54-00-12-34-57', 'mac-52-54-00-12-34-58'].map((name) =>
      fileOf(networkBoot, `ipxe/${name}.ipxe`),
    );
    expect(others).toEqual([first, first]);
  });

  it.each<[string, NetworkBoot, readonly string[]]>([
    [
      'no hosts and no discovery',
      nothing,
      ['boot.ipxe', 'autoexec.ipxe', 'grub/grub.cfg', 'pxelinux.cfg/default'],
    ],
    [
      'one loader',
      { ...networkBoot, hosts: [ramdiskHost], loaders: ['grub'] },
      ['grub/grub.cfg', 'grub/grub.cfg-01-52-54-00-12-34-56'],
    ],
    [
      'no iPXE and no GRUB for s390x',
      {
        ...nothing,
        hosts: [{ ...ramdiskHost, start: { kind: 'ramdisk', architecture: 's390x', settings } }],
        discovery: [{ kind: 'ramdisk', architecture: 's390x', settings }],
      },
      [
        'boot.ipxe',
        'autoexec.ipxe',
        'grub/grub.cfg',
        'pxelinux.cfg/default',
        'pxelinux.cfg/01-52-54-00-12-34-56',
      ],
    ],
  ])('%s', (_title, boot, paths) => {
    expect([...filesOf(boot).keys()]).toEqual(paths);
  });
});

describe('boot.ipxe', () => {
  it('starts a known host, whichever of its interfaces is the first', () => {
    const known = startByIpxe(networkBoot, 'arm64', '52:54:00:00:00:01', '52:54:00:12:34:58');
    expect(known).toMatchObject({
      end: 'boot',
      kernel: appendedHost.start.kind === 'ramdisk' ? appendedHost.start.settings.kernelUrl : '',
      initrds: [{ name: 'initramfs' }, { name: 'initramfs2', url: 'http://192.0.2.1/hosts/worker-2.img' }],
    });
    expect(known.arguments.slice(-2)).toEqual(['initrd=initramfs', 'initrd=initramfs2']);
  });

  it.each([
    ['x86_64', 'x86_64'],
    ['i386', 'x86_64'],
    ['arm64', 'aarch64'],
  ])('inspects an unknown machine: a build for %s takes the images of %s', (build, images) => {
    const unknown = startByIpxe(networkBoot, build, '52:54:00:00:00:01');
    expect(unknown.end).toBe('boot');
    expect(unknown.kernel).toContain(images);
    expect(unknown.arguments).toContain(
      'ipa-inspection-callback-url=https://192.0.2.1:6385/v1/continue_inspection',
    );
  });

  it.each<[string, NetworkBoot, string, string]>([
    ['leaves an unknown machine to its firmware without discovery', nothing, 'x86_64', 'failure'],
    ['leaves an architecture without images to its firmware', networkBoot, 'riscv64', 'exit'],
  ])('%s', (_title, boot, build, end) => {
    expect(startByIpxe(boot, build, '52:54:00:00:00:01')).toMatchObject({ end, kernel: '' });
  });

  it('starts an ISO', () => {
    expect(startByIpxe(networkBoot, 'x86_64', '52:54:00:12:34:59')).toMatchObject({
      end: 'sanboot',
      iso: 'http://192.0.2.1/hosts/worker-3.iso',
    });
  });

  it('does not inspect a known host whose server does not answer', () => {
    const files = filesOf(networkBoot);
    const outcome = runIpxe(files.get('boot.ipxe') ?? '', {
      settings: { buildarch: 'x86_64', mac, 'net0/mac': mac },
      fetch: (url) => files.get(url),
    });
    expect(outcome).toMatchObject({ end: 'poweroff', attempts: 10, slept: 45 + 30, kernel: '' });
  });
});

const startWith = (argument: string): RamdiskBoot => ({
  kind: 'ramdisk',
  architecture: 'x86_64',
  settings: { ...settings, extraArguments: [argument, `x=${argument}`] },
});

describe('any argument', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'a=$\\{}\'";&|#<>:,- \t'.split('')), minLength: 1, maxLength: 6 }),
  );
  const started = {
    ipxe: (boot: NetworkBoot) => startByIpxe(boot, 'x86_64', mac).arguments.slice(0, -2),
    grub: (boot: NetworkBoot) =>
      readGrub(fileOf(boot, 'grub/grub.cfg-01-52-54-00-12-34-56'), { bootif: 'BOOTIF=' }).arguments.slice(
        0,
        -1,
      ),
    pxelinux: (boot: NetworkBoot) =>
      readPxelinux(fileOf(boot, 'pxelinux.cfg/01-52-54-00-12-34-56'), '').arguments.slice(0, -1),
  };

  it.each(networkLoaders)('arrives unchanged by %s or is refused by the name of the host', (loader) => {
    fc.assert(
      fc.property(word, (argument) => {
        const start = startWith(argument);
        const boot: NetworkBoot = {
          ...nothing,
          hosts: [{ name: 'node', macs: [mac], start }],
          loaders: [loader],
        };
        const refusals = [...checkNetworkBoot(boot)].filter(({ findings }) =>
          findings.some(({ severity }) => severity === 'error'),
        );
        const given = kernelArguments(withBootInterface(start.settings));
        const [outcome, expected] =
          refusals.length > 0 ? [refusals.map(({ host }) => host), ['node']] : [started[loader](boot), given];
        expect(outcome).toEqual(expected);
      }),
      { numRuns: 120 },
    );
  });
});

describe.skipIf(!have('grub-script-check'))(`grub-script-check${oracleNote('grub-script-check')}`, () => {
  const configs = [
    ...filesOf({ ...networkBoot, hosts: [ramdiskHost, appendedHost, isoHost] }),
    ...filesOf(nothing),
  ];
  it.each(configs.filter(([path]) => path.startsWith('grub/')))('accepts %s', (_path, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'grub check '));
    try {
      writeFileSync(join(folder, 'grub.cfg'), text);
      expect(spawnSync('grub-script-check', [join(folder, 'grub.cfg')]).status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
