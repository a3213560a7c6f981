/** What `inspect` says of a network that only the machine and its surroundings can answer. */

import { describe, expect, it } from 'vitest';
import { parseConnection } from '../support/keyfiles.ts';
import type { Need } from '../../src/network/reachability.ts';
import { findUnknowns } from '../../src/network/unknowns.ts';

const needs: readonly Need[] = [
  [{ purpose: 'Ironic', host: 'ironic.example.com' }],
  [{ purpose: 'registry', host: 'quay.io' }],
  [{ purpose: 'registry', host: '10.0.0.2' }],
];
const names = 'must resolve ironic.example.com (Ironic), quay.io (registry)';
const proxy = 'podman connects to quay.io without a proxy';
const registriesOf = (count: number): Need =>
  Array.from({ length: count }, (_, index) => ({ purpose: 'registry', host: `r${index + 1}.io` }));

describe('not known of a network', () => {
  it.each<
    readonly [title: string, keyfile: string | undefined, needs: readonly Need[], messages: readonly string[]]
  >([
    ['with DHCP alone', undefined, needs, [names, proxy]],
    [
      'with DHCP on an interface with a name',
      'interface-name=eno1\n',
      needs,
      ['the names eno1', names, proxy],
    ],
    ['with a MAC address', '[ethernet]\nmac-address=52:54:00:12:34:56\n', needs, [names, proxy]],
    ['with a DNS server', '[ipv4]\nmethod=auto\ndns=192.0.2.53\n', needs, [proxy]],
    [
      'without a DNS server, which is a finding',
      '[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\n',
      needs,
      [proxy],
    ],
    ['with addresses of servers', undefined, [[{ purpose: 'Ironic', host: '192.0.2.1' }]], []],
    [
      'with five registries, one of them needed twice: all of them are named',
      '[ipv4]\nmethod=auto\ndns=192.0.2.53\n',
      [registriesOf(5), registriesOf(1)],
      ['podman connects to r1.io, r2.io, r3.io, r4.io, r5.io without a proxy'],
    ],
    [
      'with six registries: five are named, and one is counted',
      '[ipv4]\nmethod=auto\ndns=192.0.2.53\n',
      [registriesOf(6)],
      ['podman connects to r1.io, r2.io, r3.io, r4.io, r5.io and 1 more without a proxy'],
    ],
  ])('%s', (_title, keyfile, required, messages) => {
    const text = `[connection]\nid=a\ntype=ethernet\n${keyfile}`;
    const connections = keyfile === undefined ? [] : [parseConnection('a.nmconnection', text)];
    const found = findUnknowns(connections, required).map(({ message }) => message);
    expect(found).toEqual(messages.map((message) => expect.stringContaining(message)));
  });
});
