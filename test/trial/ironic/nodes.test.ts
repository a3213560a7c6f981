import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNodeStore, recordStart, type NodeStore } from '../../../src/trial/ironic/nodes.ts';

const mac = (index: number): string => `52:54:00:00:00:${index.toString(16).padStart(2, '0')}`;
const hosts = [
  { name: 'worker-0', macs: [mac(0).toUpperCase(), mac(1)] },
  { name: 'worker-1', macs: [mac(2)] },
];

function nameOf(nodes: NodeStore, macs: readonly string[]): string | undefined {
  const found = nodes.byMacs(macs);
  return 'problem' in found ? found.problem : (found.name ?? 'stranger');
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
    expect(nameOf(createNodeStore(hosts), macs)).toBe(expected);
  });

  it('a node owns the addresses that it has named', () => {
    const nodes = createNodeStore(hosts);
    nodes.byMacs([mac(0), mac(7)]);
    expect(nameOf(nodes, [mac(7)])).toBe('worker-0');
  });

  it('a stranger with an address in common is the same one', () => {
    const nodes = createNodeStore([]);
    const [first, second] = [nodes.byMacs([mac(1), mac(2)]), nodes.byMacs([mac(2), mac(3)])];
    expect(first).toEqual(second);
    expect(nodes.size).toBe(1);
  });

  it('strangers are bounded, and hosts are still found', () => {
    const nodes = createNodeStore(hosts, { unknownMachines: 2, macsPerNode: 4 });
    expect([nameOf(nodes, [mac(7)]), nameOf(nodes, [mac(8)])]).toEqual(['stranger', 'stranger']);
    expect(nameOf(nodes, [mac(9)])).toBe('more than 2 unknown machines');
    expect(nameOf(nodes, [mac(8)])).toBe('stranger');
    expect(nameOf(nodes, [mac(0)])).toBe('worker-0');
    expect(nodes.size).toBe(4);
  });

  it('addresses of a node are bounded', () => {
    const nodes = createNodeStore([], { unknownMachines: 9, macsPerNode: 3 });
    const found = nodes.byMacs(Array.from({ length: 200 }, (_, index) => mac(index)));
    expect('macs' in found && found.macs.size).toBe(3);
  });

  it('holds its bounds whoever calls', () => {
    const anyMacs = fc.array(fc.integer({ min: 0, max: 40 }).map(mac), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(anyMacs, { maxLength: 40 }), (calls) => {
        const nodes = createNodeStore(hosts, { unknownMachines: 5, macsPerNode: 4 });
        for (const macs of calls) {
          const found = nodes.byMacs(macs);
          expect('macs' in found ? found.macs.size : 0).toBeLessThanOrEqual(4);
        }
        expect(nodes.size).toBeLessThanOrEqual(2 + 5);
      }),
    );
  });
});

function tellAt(nodes: NodeStore, seconds: number): string {
  const found = nodes.byMacs([mac(0)]);
  if ('problem' in found) throw new Error(found.problem);
  recordStart(found, new Date(seconds * 1000));
  return found.token.issue();
}

describe('tokens', () => {
  it('are told once, and long enough for agents', () => {
    const nodes = createNodeStore(hosts);
    expect(tellAt(nodes, 0)).toMatch(/^[\w-]{43}$/);
    expect(tellAt(nodes, 10)).toBe('******');
  });

  it('are told again to a machine that was silent for long', () => {
    const nodes = createNodeStore(hosts);
    const first = tellAt(nodes, 0);
    const second = tellAt(nodes, 121);
    expect(second).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
  });

  it('of the boot medium are never told, and stay', () => {
    const agentToken = 'x'.repeat(40);
    const nodes = createNodeStore([{ name: 'worker-0', macs: [mac(0)], agentToken }]);
    expect([tellAt(nodes, 0), tellAt(nodes, 500)]).toEqual(['******', '******']);
    expect(nodes.byName('worker-0')?.token.check(agentToken)).toBe('valid');
  });

  it.each([
    ['the right one', (token: string) => token, 'valid'],
    ['another one', () => 'x'.repeat(43), 'invalid'],
    ['the mask', () => '******', 'invalid'],
    ['none', () => undefined, 'missing'],
    ['an empty one', () => '', 'missing'],
  ])('are checked: %s', (_title, sent, expected) => {
    const nodes = createNodeStore(hosts);
    const token = tellAt(nodes, 0);
    expect(nodes.byName('worker-0')?.token.check(sent(token))).toBe(expected);
  });

  it('are not right before they are told', () => {
    const nodes = createNodeStore(hosts);
    expect(nodes.byName('worker-0')?.token.check('undefined')).toBe('invalid');
  });
});
