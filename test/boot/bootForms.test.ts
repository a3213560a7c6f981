/** Whatever passes the checks arrives at the kernel as it was given: each loader's reading is written down here. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BootFormName, bootFormNames, bootForms, checkBoot } from '../../src/boot/bootForms.ts';
import type { BootSettings } from '../../src/boot/bootSettings.ts';
import { quoteGrub } from '../../src/boot/bootScripts.ts';
import { kernelArguments } from '../../src/boot/kernelArguments.ts';
import { have, missingNote } from '../support/programs.ts';
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

describe.skipIf(!have('grub-script-check'))(`grub-script-check${missingNote('grub-script-check')}`, () => {
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
