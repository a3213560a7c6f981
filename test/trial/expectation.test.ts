/** Who is awaited. */

import { describe, expect, it } from 'vitest';
import { readExpectedHosts } from '../../src/trial/expectation.ts';
import type { ExpectedHost } from '../../src/trial/timeline/machines.ts';

const hosts = [
  { name: 'worker-0', macs: ['52:54:00:00:00:01'] },
  { name: 'worker-1', macs: ['52:54:00:00:00:02'] },
];
const machine = { name: 'qemu', macs: ['52:54:00:12:34:56'] };
const worker = { name: 'worker-0', macs: ['52:54:00:99:99:99', '52:54:00:00:00:01'] };
const names = (...list: readonly string[]): object => ({ kind: 'hosts', names: list });

interface Given {
  readonly given?: string;
  readonly hosts?: readonly ExpectedHost[];
  readonly machine?: ExpectedHost;
}

describe('who is awaited', () => {
  it.each<readonly [string, Given, object]>([
    ['anybody', { hosts: [] }, { kind: 'any', count: 1 }],
    ['all hosts', {}, names('worker-0', 'worker-1')],
    ['the emulated machine', { machine }, names('qemu')],
    ['a number', { given: '3' }, { kind: 'any', count: 3 }],
    ['a host', { given: 'worker-1' }, names('worker-1')],
    ['a host by its MAC address', { given: '52-54-00-00-00-02' }, names('worker-1')],
    ['a stranger', { given: '52:54:00:00:00:0A' }, names('52:54:00:00:00:0a')],
    ['the same twice', { given: 'worker-0, worker-0' }, names('worker-0')],
    ['a machine beside hosts', { given: 'qemu,worker-0', machine }, names('qemu', 'worker-0')],
  ])('%s', (_title, source, awaited) => {
    expect(readExpectedHosts(source.given, source.hosts ?? hosts, source.machine).awaited).toEqual(awaited);
  });

  it('a host that is emulated has the MAC address of the machine, too', () => {
    expect(readExpectedHosts('2', hosts, worker).known).toEqual([hosts[1], worker]);
  });

  it.each(['0', '1001', '', 'worker-9', 'worker-0,', '52:54:00'])('not %j', (given) => {
    expect(() => readExpectedHosts(given, hosts, undefined)).toThrow(
      /^(?:invalid value ".*" for --expect: the number is out of range|unknown host ".*" in --expect)$/,
    );
  });
});
