import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseHintExpression,
  readRootDevice,
  type RootDevice,
  splitHint,
  toMetal3Hints,
} from '../../src/ipa/rootDeviceHints.ts';
import { hasIpa, ipaNote, ipaPython } from '../support/ipaOracle.ts';

const read = (...hints: string[]) => readRootDevice(hints.map(splitHint));
const rulesOf = (...hints: string[]) => read(...hints).issues.map(({ rule }) => rule);

describe('readRootDevice', () => {
  it.each<[string, string, RootDevice]>([
    ['a name', 'name=/dev/sda', { name: '/dev/sda' }],
    ['an operator', 'serial=s== ABC', { serial: 's== ABC' }],
    ['alternatives', 'name=<or> /dev/sda <or> /dev/vda', { name: '<or> /dev/sda <or> /dev/vda' }],
    ['a part', 'model=<in> PERC H7', { model: '<in> PERC H7' }],
    ['a least size', 'size=>= 100', { size: '>= 100' }],
    ['an operator without a blank', 'size=>=100', { size: '>=100' }],
    ['true', 'rotational=yes', { rotational: true }],
    ['false', 'rotational=0', { rotational: false }],
    ['text with blanks', 'vendor=Western Digital', { vendor: 'Western Digital' }],
    ['a device of Metal3', 'deviceName=/dev/vda', { name: 's== /dev/vda' }],
    ['a path of Metal3', 'deviceName=/dev/disk/by-path/pci-1', { by_path: 's== /dev/disk/by-path/pci-1' }],
    ['a size of Metal3', 'minSizeGigabytes=100', { size: '>= 100' }],
    ['a serial number of Metal3', 'serialNumber=X', { serial: 's== X' }],
  ])('reads %s', (_title, text, rootDevice) => {
    expect(read(text)).toEqual({ rootDevice, issues: [] });
  });

  it('reads values of a list of hosts', () => {
    const entries = Object.entries({ size: '>= 10', rotational: false, minSizeGigabytes: 5 });
    expect(readRootDevice(entries.slice(0, 2)).rootDevice).toEqual({ size: '>= 10', rotational: false });
    expect(readRootDevice(entries.slice(2)).rootDevice).toEqual({ size: '>= 5' });
  });

  it.each([
    ['an unknown name', 'foo=1', 'hint-unknown'],
    ['a name of Object', 'constructor=1', 'hint-unknown'],
    ['no value', 'name', 'hint-expression'],
    ['blanks for a value', 'name= ', 'hint-expression'],
    ['an operator without a value', 'serial=s==', 'hint-expression'],
    ['an alternative without a value', 'serial=<or> a <or>', 'hint-expression'],
    ['an operator twice', 'serial=s== a s== b', 'hint-expression'],
    ['an operator in the value', 'serial=s== <in> a', 'hint-expression'],
    ['a number compared with text', 'serial=>= 5', 'hint-operator'],
    ['all in', 'model=<all-in> a b', 'hint-operator'],
    ['a range', 'size=<range-in> [ 1 2 ]', 'hint-operator'],
    ['text compared with a size', 'size=s== 5', 'hint-operator'],
    ['alternative sizes', 'size=<or> 5 <or> 6', 'hint-operator'],
    ['a size of nothing', 'size=0', 'hint-expression'],
    ['a negative size', 'size=>= -1', 'hint-expression'],
    ['a size with a unit', 'size=>= 100G', 'hint-expression'],
    ['a fraction', 'size=>= 1.5', 'hint-expression'],
    ['a boolean that is none', 'rotational=maybe', 'hint-type'],
    ['a name that is no path', 'name=sda', 'hint-value'],
    ['a link for a name', 'name=/dev/disk/by-id/x', 'hint-value'],
    ['a path of another kind', 'by_path=/dev/disk/by-id/x', 'hint-value'],
    ['a partition', 'name=/dev/nvme0n1p2', 'hint-value'],
    ['a partition of a SCSI disk', 'deviceName=/dev/sda1', 'hint-value'],
    ['a link to a partition', 'by_path=/dev/disk/by-path/pci-0000:00:1f.2-ata-1-part1', 'hint-value'],
    ['a SCSI address', 'hctl=0:0:0', 'hint-value'],
    ['a WWN as VMware writes it', 'wwn=naa.5000c500a0b0c0d0', 'hint-value'],
    ['a WWN without its prefix', 'wwn_with_extension=s== 5000C500A0B0C0D0', 'hint-value'],
  ])('objects to %s', (_title, text, rule) => {
    expect(rulesOf(text)).toEqual([rule]);
  });

  it('objects to the same hint under two names', () => {
    expect(rulesOf('serial=a', 'serialNumber=a')).toEqual(['hint-twice']);
  });

  it.each([
    ['a number for text', { serial: 5 }],
    ['a list', { serial: ['a'] }],
    ['null', { size: null }],
  ])('objects to the type: %s', (_title, hints) => {
    expect(readRootDevice(Object.entries(hints)).issues.map(({ rule }) => rule)).toEqual(['hint-type']);
  });

  it('reads each of any entries or reports it, and so does toMetal3Hints', () => {
    const known = ['name', 'by_path', 'size', 'rotational', 'model', 'deviceName', 'wwn', 'tran'];
    const odd = fc.constantFrom('/dev/sda', '>= 5', 's== x', '<in> x', true, 7, { toString: '' });
    const value = fc.oneof(fc.anything(), odd);
    const entry = fc.tuple(fc.oneof(fc.constantFrom(...known), fc.string()), value);
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const { rootDevice, issues } = readRootDevice(entries);
        const given = new Set(entries.map(([name]) => name));
        const reported = new Set(issues.map(({ path }) => String(path[1])));
        expect([...reported].filter((name) => !given.has(name))).toEqual([]);
        for (const name of given) {
          const ironic = ['name', 'by_path'].filter((each) => name === 'deviceName' || each === name);
          const isRead = [name, ...ironic].some((each) => Object.hasOwn(rootDevice, each));
          expect([name, isRead || reported.has(name)]).toEqual([name, true]);
        }
        const metal3 = toMetal3Hints(rootDevice);
        const count = Object.keys(metal3.hints).length + metal3.issues.length;
        expect(count).toBe(Object.keys(rootDevice).length);
      }),
    );
  });
});

describe('parseHintExpression', () => {
  it('gives back what an expression is made of', () => {
    const value = fc
      .stringMatching(/^[a-z0-9/][a-z0-9/ .-]*[a-z0-9]$/)
      .filter((text) => !/s[<>=!]/.test(text));
    const operator = fc.constantFrom('', 's==', 's!=', '<in>', '==', '>=', '<', 's<=');
    fc.assert(
      fc.property(operator, value, (op, text) => {
        expect(parseHintExpression(`${op} ${text}`)).toEqual({ operator: op, values: [text] });
      }),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const text = values.map((each) => `<OR> ${each}`).join(' ');
        expect(parseHintExpression(text)).toEqual({ operator: '<or>', values });
      }),
    );
  });
});

describe('toMetal3Hints', () => {
  it('writes all that Metal3 has', () => {
    const { rootDevice } = read(
      'name=/dev/sda',
      'hctl=0:0:0:0',
      'model=<in> PERC',
      'vendor=<in> Dell',
      'serial=s== A',
      'size=>= 9',
      'wwn=0x1',
      'wwn_with_extension=0x12',
      'wwn_vendor_extension=0x2',
      'rotational=true',
    );
    expect(toMetal3Hints(rootDevice)).toEqual({
      hints: {
        deviceName: '/dev/sda',
        hctl: '0:0:0:0',
        model: 'PERC',
        vendor: 'Dell',
        serialNumber: 'A',
        minSizeGigabytes: 9,
        wwn: '0x1',
        wwnWithExtension: '0x12',
        wwnVendorExtension: '0x2',
        rotational: true,
      },
      issues: [],
    });
  });

  it.each([
    ['a whole model', 'model=PERC'],
    ['inequality', 'serial=s!= A'],
    ['alternatives', 'name=<or> /dev/sda <or> /dev/sdb'],
    ['a largest size', 'size=<= 100'],
    ['a transport', 'tran=nvme'],
  ])('cannot say %s', (_title, text) => {
    expect(toMetal3Hints(read(text).rootDevice).issues.map(({ rule }) => rule)).toEqual([
      'hint-not-in-metal3',
    ]);
  });

  it('has one place for a name and a path', () => {
    const { rootDevice } = read('name=/dev/sda', 'by_path=/dev/disk/by-path/x');
    expect(toMetal3Hints(rootDevice).issues.map(({ rule }) => rule)).toEqual(['hint-twice']);
  });
});

describe.skipIf(!hasIpa)(`the agent${ipaNote}`, () => {
  const disk = {
    name: '/dev/sda',
    model: 'PERC H730',
    serial: 'ABC',
    vendor: 'DELL',
    wwn: '0x1',
    hctl: '0:0:0:0',
    size: 100 * 2 ** 30,
    rotational: false,
    tran: 'sas',
    by_path: '/dev/disk/by-path/x',
  };
  const picks = (cases: readonly RootDevice[]): (string[] | null)[] => {
    const input = JSON.stringify(cases.map((hints) => ({ hints, disks: [disk] })));
    const script = join(import.meta.dirname, 'hintVerdicts.py');
    const run = spawnSync(ipaPython, [script], { input });
    const picked: (string[] | null)[] = JSON.parse(run.stdout.toString());
    return picked;
  };

  it('picks the disk as it is meant', () => {
    const cases: readonly (readonly [string, boolean])[] = [
      ['name=/dev/sda', true],
      ['deviceName=/dev/sda', true],
      ['name=/dev/sdb', false],
      ['name=<or> /dev/sdb <or> /dev/sda', true],
      ['model=<in> perc', true],
      ['model=perc h730', true],
      ['serial=s!= abc', false],
      ['size=>= 100', true],
      ['size== 50', true],
      ['size=> 100', false],
      ['minSizeGigabytes=100', true],
      ['rotational=no', true],
      ['hctl=0:0:0:0', true],
      ['by_path=/dev/disk/by-path/x', true],
      ['tran=sas', true],
    ];
    const picked = picks(cases.map(([text]) => read(text).rootDevice));
    const expected = cases.map(([text, isPicked]) => [text, isPicked ? ['/dev/sda'] : []]);
    expect(cases.map(([text], index) => [text, picked[index]])).toEqual(expected);
  });

  it('can apply whatever is accepted here', () => {
    const piece = fc.constantFrom(
      's==',
      's!=',
      '<in>',
      '<or>',
      '<all-in>',
      '<range-in>',
      '>=',
      '=',
      '==',
      '!=',
      '<',
      '>',
      's<',
      's>=',
      'a',
      'perc h730',
      '/dev/sda',
      '100',
      '0',
      '-5',
      's',
      '%',
      '"',
      '(x)',
      '[',
      'a=b',
      '0:0:0:0',
      ' ',
      'é',
    );
    const hint = fc.tuple(
      fc.constantFrom('name', 'model', 'serial', 'size', 'hctl', 'rotational', 'vendor', 'tran'),
      fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(' ')),
    );
    const accepted = fc
      .sample(hint, 3000)
      .map(([name, text]) => readRootDevice([[name, text]]))
      .filter(({ issues }) => issues.every(({ severity }) => severity !== 'error'))
      .map(({ rootDevice }) => rootDevice);
    const verdicts = picks(accepted);
    expect(accepted.length).toBeGreaterThan(100);
    expect(accepted.filter((_hints, index) => verdicts[index] === null)).toEqual([]);
  });
});
