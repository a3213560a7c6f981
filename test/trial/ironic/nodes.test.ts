import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNodeStore, recordStart, type NodeStore } from '../../../src/trial/ironic/nodes.ts';
import { createMachines, knownMacs } from '../../../src/trial/timeline/machines.ts';

const mac = (index: number): string => `52:54:00:00:00:${index.toString(16).padStart(2, '0')}`;
const hosts = [
  { name: 'worker-0', macs: [mac(0), mac(1)] },
  { name: 'worker-1', macs: [mac(2)] },
];

const client = '192.0.2.7';
const nodesOf = (expected = hosts): NodeStore => createNodeStore(createMachines(expected));

function nameOf(nodes: NodeStore, macs: readonly string[]): string | undefined {
  const found = nodes.byMacs(macs, client);
  return 'problem' in found ? found.problem : (found.machine.name ?? 'stranger');
}

describe('who calls', () => {
  it.each([
    ['an expected host', [mac(0)], 'worker-0'],
    ['one of its addresses is enough', [mac(9), mac(1)], 'worker-0'],
    ['a stranger', [mac(9)], 'stranger'],
    [
      'several hosts in one',
      [mac(0), mac(2)],
      'its MAC addresses belong to several hosts: worker-0, worker-1',
    ],
  ])('%s', (_title, macs, expected) => {
    expect(nameOf(nodesOf(), macs)).toBe(expected);
  });

  it('a node owns the addresses that it has named', () => {
    const nodes = nodesOf();
    nodes.byMacs([mac(0), mac(7)], client);
    expect(nameOf(nodes, [mac(7)])).toBe('worker-0');
  });

  it('a stranger with an address in common is the same one', () => {
    const machines = createMachines([]);
    const nodes = createNodeStore(machines);
    const [first, second] = [
      nodes.byMacs([mac(1), mac(2)], client),
      nodes.byMacs([mac(2), mac(3)], '192.0.2.8'),
    ];
    expect(first).toBe(second);
    expect(machines.all.size).toBe(1);
  });

  it('a host without an address in the inventory that has fetched a file from the same client', () => {
    const machines = createMachines([...hosts, { name: 'worker-2', macs: [] }]);
    machines.find({ name: 'worker-2', macs: [], node: undefined, isNodeVerified: false }, client, true);
    const nodes = createNodeStore(machines);
    expect(nameOf(nodes, [mac(9)])).toBe('worker-2');
    expect(nameOf(nodes, [mac(8)])).toBe('stranger');
  });

  it('strangers are bounded, and hosts are still found', () => {
    const machines = createMachines(hosts, 2);
    const nodes = createNodeStore(machines);
    expect([nameOf(nodes, [mac(7)]), nameOf(nodes, [mac(8)])]).toEqual(['stranger', 'stranger']);
    expect(nameOf(nodes, [mac(9)])).toBe('too many unknown machines');
    expect(nameOf(nodes, [mac(8)])).toBe('stranger');
    expect(nameOf(nodes, [mac(0)])).toBe('worker-0');
    expect(machines.all.size).toBe(4);
  });

  it('holds its bounds whoever calls', () => {
    const anyMacs = fc.array(fc.integer({ min: 0, max: 200 }).map(mac), { minLength: 1, maxLength: 90 });
    fc.assert(
      fc.property(fc.array(anyMacs, { maxLength: 40 }), (calls) => {
        const machines = createMachines(hosts, 5);
        const nodes = createNodeStore(machines);
        for (const macs of calls) {
          const found = nodes.byMacs(macs, client);
          expect('machine' in found ? knownMacs(found.machine).length : 0).toBeLessThanOrEqual(64 + 2);
        }
        expect(machines.all.size).toBeLessThanOrEqual(2 + 5);
      }),
    );
  });
});

function tellAt(nodes: NodeStore, seconds: number): string {
  const found = nodes.byMacs([mac(0)], client);
  if ('problem' in found) throw new Error(found.problem);
  recordStart(found, new Date(seconds * 1000));
  return found.token.issue();
}

describe('tokens', () => {
  it('are told once, and long enough for agents', () => {
    const nodes = nodesOf();
    expect(tellAt(nodes, 0)).toMatch(/^[\w-]{43}$/);
    expect(tellAt(nodes, 10)).toBe('******');
  });

  it('are told again to a machine that was silent for long', () => {
    const nodes = nodesOf();
    const first = tellAt(nodes, 0);
    const second = tellAt(nodes, 121);
    expect(second).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
  });

  it.each([
    ['the right one', (token: string) => token, 'valid'],
    ['another one', () => 'x'.repeat(43), 'invalid'],
    ['the mask', () => '******', 'invalid'],
    ['none', () => undefined, 'missing'],
    ['an empty one', () => '', 'missing'],
  ])('are checked: %s', (_title, sent, expected) => {
    const nodes = nodesOf();
    const token = tellAt(nodes, 0);
    expect(nodes.findByMac(mac(0))?.token.check(sent(token))).toBe(expected);
  });

  it('are not right before they are told', () => {
    const nodes = nodesOf();
    expect(nodes.findByMac(mac(0))?.token.check('undefined')).toBe('invalid');
  });
});
