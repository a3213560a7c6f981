import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectorProblem, checkInventory } from '../../../src/trial/ironic/inspection.ts';
import { isMapping } from '../../../src/formats/mapping.ts';
import { parseBody } from '../../../src/trial/ironic/messages.ts';

const interfaces = [
  { mac_address: '52:54:00:AA:BB:01', has_carrier: true },
  { mac_address: '52:54:00:aa:bb:02', has_carrier: false },
];
const gibibyte = 1024 ** 3;

const summaryOf = (inventory: object): string => {
  const check = checkInventory({ inventory: { interfaces, ...inventory } });
  return 'summary' in check ? check.summary : check.problem;
};

describe('the summary of an inventory', () => {
  it.each([
    ['nothing but interfaces', {}, '1 of 2 interfaces with a link'],
    [
      'all of it',
      {
        system_vendor: { manufacturer: 'Dell Inc.', product_name: 'PowerEdge R640', serial_number: 'X' },
        cpu: { count: 32, architecture: 'x86_64' },
        memory: { total: 134_000_000_000, physical_mb: 131_072 },
        disks: [{ size: 480_103_981_056 }, { size: 3_840_755_982_336 }],
      },
      'Dell Inc. PowerEdge R640, 32 CPUs (x86_64), 128 GiB memory, 2 disks (447.1 GiB, 3.5 TiB), 1 of 2 interfaces with a link',
    ],
    [
      'memory without tables of the firmware',
      { memory: { total: 8 * gibibyte, physical_mb: null } },
      '8 GiB memory, 1 of 2 interfaces with a link',
    ],
    [
      'numbers that no machine has',
      {
        cpu: { count: 1e308, architecture: 'x86_64' },
        memory: { total: gibibyte, physical_mb: 1e308 },
        disks: [{ size: 1e308 }, { size: -1 }, { size: gibibyte }],
      },
      '3 disks (1 GiB), 1 of 2 interfaces with a link',
    ],
    ['one CPU', { cpu: { count: 1 } }, '1 CPU, 1 of 2 interfaces with a link'],
    ['no disks', { disks: [] }, 'no disks, 1 of 2 interfaces with a link'],
    [
      'many disks',
      { disks: Array.from({ length: 60 }, () => ({ size: gibibyte })) },
      '60 disks (1 GiB, 1 GiB, 1 GiB, 1 GiB, …), 1 of 2 interfaces with a link',
    ],
    [
      'values of other types',
      {
        system_vendor: { manufacturer: 1, product_name: {} },
        cpu: { count: 'x' },
        memory: [],
        disks: [{ size: -1 }, 7],
      },
      '2 disks, 1 of 2 interfaces with a link',
    ],
  ])('%s', (_title, inventory, expected) => {
    expect(summaryOf(inventory)).toBe(expected);
  });

  it('stays one line of some length whatever the machine says', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...parts), fc.jsonValue()), (inventory) => {
        expect(summaryOf({ ...inventory, interfaces }).length).toBeLessThan(400);
      }),
    );
  });
});

const parts = ['system_vendor', 'cpu', 'memory', 'disks', 'interfaces', 'bmc_address'];

it('MAC addresses are those that are some', () => {
  const given = [...interfaces, { mac_address: '' }, { mac_address: 'a0:00:02:20:fe:80:00:00' }];
  const check = checkInventory({ inventory: { interfaces: given } });
  expect('macs' in check && check.macs).toEqual(['52:54:00:aa:bb:01', '52:54:00:aa:bb:02']);
});

it.each([
  ['none', {}, undefined],
  ['null', { error: null }, undefined],
  ['some', { error: 'collector x failed' }, 'collector x failed'],
  ['no text', { error: { a: 1 } }, undefined],
])('failures of collectors: %s', (_title, body, expected) => {
  expect(collectorProblem(body)).toBe(expected);
});

it('any body is an inventory or has a problem', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        const parsed = parseBody(bytes);
        const value = parsed.kind === 'value' && isMapping(parsed.value) ? parsed.value : {};
        const problem = parsed.kind === 'none' ? parsed.problem : 'its body';
        const checked = checkInventory(value);
        const text = 'problem' in checked ? checked.problem : checked.summary;
        expect([problem, text]).toEqual([expect.stringMatching(/^its body/), expect.any(String)]);
      },
    ),
  );
});

it.each([
  ['deep', '['.repeat(1_000_000)],
  ['wide', `[${'[],'.repeat(600_000)}[]]`],
])('a %s body is not even parsed', (_title, text) => {
  expect(parseBody(Buffer.from(text))).toEqual({
    kind: 'none',
    problem: 'its body contains too many values, or is nested too deeply',
  });
});
