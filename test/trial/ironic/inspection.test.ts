import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectorProblem, readAgentInventory } from '../../../src/trial/ironic/inspection.ts';
import { isMapping } from '../../../src/formats/mapping.ts';
import { parseBody } from '../../../src/trial/ironic/messages.ts';

const interfaces = [
  { mac_address: '52:54:00:AA:BB:01', has_carrier: true },
  { mac_address: '52:54:00:aa:bb:02', has_carrier: false },
];
const gibibyte = 1024 ** 3;

const summaryOf = (inventory: object): string | undefined =>
  readAgentInventory({ inventory: { interfaces, ...inventory } })?.summary;

const disksOf = (...sizes: readonly number[]): object[] => sizes.map((size) => ({ name: '/dev/sda', size }));

describe('the summary of an inventory', () => {
  it.each([
    ['nothing but interfaces', {}, 'no disks, 1 of 2 interfaces with a link'],
    [
      'all of it',
      {
        system_vendor: { manufacturer: 'Dell Inc.', product_name: 'PowerEdge R640', serial_number: 'X' },
        cpu: { count: 32, architecture: 'x86_64' },
        memory: { total: 134_000_000_000, physical_mb: 131_072 },
        disks: disksOf(480_103_981_056, 3_840_755_982_336),
      },
      'Dell Inc. PowerEdge R640, 32 CPUs (x86_64), 128 GiB memory, 2 disks (447.1 GiB, 3.5 TiB), 1 of 2 interfaces with a link',
    ],
    [
      'memory without tables of the firmware',
      { memory: { total: 8 * gibibyte, physical_mb: null } },
      '8 GiB memory, no disks, 1 of 2 interfaces with a link',
    ],
    [
      'numbers that no machine has',
      {
        cpu: { count: 1e308, architecture: 'x86_64' },
        memory: { total: gibibyte, physical_mb: 1e308 },
        disks: disksOf(1e308, -1, gibibyte),
      },
      '3 disks (1 GiB), 1 of 2 interfaces with a link',
    ],
    ['one CPU', { cpu: { count: 1 } }, '1 CPU, no disks, 1 of 2 interfaces with a link'],
    ['no disks', { disks: [] }, 'no disks, 1 of 2 interfaces with a link'],
    [
      'many disks',
      { disks: disksOf(...Array<number>(60).fill(gibibyte)) },
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
      'no disks, 1 of 2 interfaces with a link',
    ],
  ])('%s', (_title, inventory, expected) => {
    expect(summaryOf(inventory)).toBe(expected);
  });

  it('stays one line of some length whatever the machine says', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...parts), fc.jsonValue()), (inventory) => {
        expect(summaryOf({ ...inventory, interfaces })?.length).toBeLessThan(400);
      }),
    );
  });
});

const parts = ['system_vendor', 'cpu', 'memory', 'disks', 'interfaces', 'bmc_address'];

it('MAC addresses are those that are some', () => {
  const given = [...interfaces, { mac_address: '' }, { mac_address: 'a0:00:02:20:fe:80:00:00' }];
  expect(readAgentInventory({ inventory: { interfaces: given } })?.macs).toEqual([
    '52:54:00:aa:bb:01',
    '52:54:00:aa:bb:02',
  ]);
});

it.each([
  ['none', {}, undefined],
  ['null', { error: null }, undefined],
  ['some', { error: 'collector x failed' }, 'collector x failed'],
  ['no text', { error: { a: 1 } }, undefined],
])('failures of collectors: %s', (_title, body, expected) => {
  expect(collectorProblem(body)).toBe(expected);
});

it.each([
  ['no inventory', {}],
  ['a text', { inventory: 'x' }],
  ['no interfaces', { inventory: {} }],
  ['interfaces that are no list', { inventory: { interfaces: 'x' } }],
])('%s is not the inventory of an agent', (_title, body) => {
  expect(readAgentInventory(body)).toBeUndefined();
});

it('any body is an inventory or none', () => {
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.json().map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bodies, (bytes) => {
      const parsed = parseBody(bytes);
      expect(typeof readAgentInventory(isMapping(parsed) ? parsed : {})).toMatch(/^(?:object|undefined)$/);
    }),
  );
});

it.each([
  ['deep', '['.repeat(1_000_000)],
  ['wide', `[${'[],'.repeat(600_000)}[]]`],
])('a %s body is not even parsed', (_title, text) => {
  expect(parseBody(Buffer.from(text))).toBeUndefined();
});
