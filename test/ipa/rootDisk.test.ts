import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MachineDisk } from '../../src/ipa/machineHardware.ts';
import { defaultDisk, matchDisks } from '../../src/ipa/rootDisk.ts';
import { readRootDevice, splitHint } from '../../src/ipa/rootDeviceHints.ts';
import { hasIpa, ipaNote, ipaPython } from '../support/ipaOracle.ts';

const GIB = 1024 ** 3;
const sda: MachineDisk = {
  name: '/dev/sda',
  size: 447 * GIB + 5,
  hctl: '3:2:0:0',
  rotational: true,
  model: 'PERC H730',
  serial: null,
};
const nvme: MachineDisk = {
  name: '/dev/nvme0n1',
  size: 900 * GIB,
  hctl: null,
  rotational: false,
  model: 'X (1)',
  serial: 'AB',
};
const usb: MachineDisk = { name: '/dev/sdb', size: 2 * GIB, rotational: false };

describe('matchDisks', () => {
  it.each<[string, string[], string[]]>([
    ['a name', ['name=/dev/sda'], ['/dev/sda']],
    ['a SCSI address that no disk has', ['hctl=0:2:0:0'], []],
    ['a least size', ['size=>= 400'], ['/dev/sda', '/dev/nvme0n1']],
    ['an exact size, which is a whole number of GiB', ['size=447'], []],
    ['all hints', ['size=>= 400', 'rotational=no'], ['/dev/nvme0n1']],
    ['what a disk does not have', ['serial=s!= AB'], ['/dev/sda', '/dev/sdb']],
    ['a part of a text in any case', ['model=<in> perc'], ['/dev/sda']],
    ['signs', ['model=x (1)'], ['/dev/nvme0n1']],
    ['alternatives', ['name=<or> /dev/sdb <or> /dev/sdz'], ['/dev/sdb']],
  ])('selects by %s', (_title, hints, names) => {
    const { rootDevice } = readRootDevice(hints.map(splitHint));
    expect(matchDisks(rootDevice, [sda, nvme, usb]).map(({ name }) => name)).toEqual(names);
  });
});

describe('defaultDisk', () => {
  it.each<[string, MachineDisk[], string | undefined]>([
    ['the smallest one that is large enough', [nvme, sda, usb], '/dev/sda'],
    ['the first name of the same size', [{ ...sda, name: '/dev/sdb' }, sda], '/dev/sda'],
    ['none of the small ones', [usb], undefined],
  ])('is %s', (_title, disks, name) => {
    expect(defaultDisk(disks)?.name).toBe(name);
  });
});

describe.skipIf(!hasIpa)(`the agent${ipaNote}`, () => {
  it('selects the same disks by 2000 random hints', () => {
    const text = fc.constantFrom(
      'AB',
      'ab',
      'PERC H730',
      'perc',
      'x (1)',
      'Ä/ö',
      '20',
      'none',
      "it's",
      '0x5',
    );
    const value = fc.oneof(text, fc.constant(null));
    const disk = fc.record({
      name: fc.constantFrom('/dev/sda', '/dev/sdb', '/dev/nvme0n1'),
      size: fc.oneof(
        fc.integer({ min: 1, max: 5 }).map((count) => count * GIB),
        fc.nat(5 * GIB),
      ),
      rotational: fc.boolean(),
      model: value,
      vendor: value,
      serial: value,
      wwn: value,
      hctl: fc.constantFrom('0:0:0:0', '3:2:0:0', null),
      tran: value,
    });
    const operator = fc.constantFrom('', 's== ', 's!= ', '<in> ', 's< ', 's<= ', 's> ', 's>= ', '<or> ');
    const textHint = fc
      .tuple(fc.constantFrom('model', 'vendor', 'serial', 'wwn', 'tran'), operator, text, text)
      .map(([name, sign, one, other]) => `${name}=${sign}${one}${sign === '<or> ' ? ` <or> ${other}` : ''}`);
    const numberOperator = fc.constantFrom('', '= ', '== ', '!= ', '< ', '<= ', '> ', '>= ');
    const hint = fc.oneof(
      textHint,
      fc.tuple(numberOperator, fc.integer({ min: 1, max: 5 })).map(([sign, size]) => `size=${sign}${size}`),
      fc.constantFrom('rotational=yes', 'rotational=no', 'hctl=3:2:0:0', 'name=/dev/sda', 'name=s> /dev/sda'),
    );
    const cases = fc
      .sample(
        fc.tuple(fc.array(disk, { maxLength: 4 }), fc.array(hint, { minLength: 1, maxLength: 3 })),
        2000,
      )
      .map(([disks, hints]) => ({ disks, hints: readRootDevice(hints.map(splitHint)).rootDevice }));
    const run = spawnSync(ipaPython, [join(import.meta.dirname, 'hintVerdicts.py')], {
      input: JSON.stringify(cases),
    });
    const picked: (string[] | null)[] = JSON.parse(run.stdout.toString());
    const selected = cases.map(({ disks, hints }) => matchDisks(hints, disks).map(({ name }) => name));
    expect(picked.filter((names) => names !== null && names.length > 0).length).toBeGreaterThan(300);
    expect(cases.map((one, index) => [one, selected[index]])).toEqual(
      cases.map((one, index) => [one, picked[index]]),
    );
  });
});
