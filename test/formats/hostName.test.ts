import { isIPv4, isIPv6 } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatUrlHost,
  hostNameProblem,
  isIpv4,
  isLoopbackHost,
  machineNameProblem,
  parseHost,
  parseIpv6,
} from '../../src/formats/hostName.ts';

describe('parseHost', () => {
  it.each([
    ['192.0.2.1', { kind: 'ipv4', address: '192.0.2.1' }],
    ['2001:db8::1', { kind: 'ipv6', address: '2001:db8::1' }],
    ['fe80::1%eno1', { kind: 'ipv6', address: 'fe80::1', zone: 'eno1' }],
    ['ironic.example.com', { kind: 'name', name: 'ironic.example.com' }],
    ['LOCALHOST', { kind: 'name', name: 'LOCALHOST' }],
    ['h:80', { kind: 'invalid', problem: 'it is not an IPv6 address' }],
    ['[::1]', { kind: 'invalid', problem: 'it is not an IPv6 address' }],
    ['fe80::1%', { kind: 'invalid', problem: 'it is not an IPv6 address' }],
    ['', { kind: 'invalid', problem: 'it is empty' }],
  ])('%j', (text, expected) => {
    expect(parseHost(text)).toEqual(expected);
  });
});

describe('hostNameProblem', () => {
  it.each([
    ['a', undefined],
    ['a-b.c1', undefined],
    ['1host', undefined],
    ['a'.repeat(63), undefined],
    ['a'.repeat(64), 'a part between dots is longer than 63 characters'],
    [`${'a.'.repeat(126)}a`, undefined],
    [`${'a.'.repeat(127)}a`, 'it is longer than 253 characters'],
    ['-a', 'a part between dots starts or ends with a dash'],
    ['a-.b', 'a part between dots starts or ends with a dash'],
    ['a..b', 'it contains an empty part before, after or between dots'],
    ['a.', 'it contains an empty part before, after or between dots'],
    ['a b', 'it contains a space'],
    ['a_b', 'it contains an underscore'],
    ['ä', 'the character "ä" is not allowed'],
    ['256.0.0.1', 'it ends in a number, but is not an IPv4 address'],
    ['127.1', 'it ends in a number, but is not an IPv4 address'],
    ['0x7f', 'it ends in a number, but is not an IPv4 address'],
  ])('%j', (text, expected) => {
    expect(hostNameProblem(text)).toBe(expected);
  });

  it('is stricter for what Linux calls itself', () => {
    const name = `${'a'.repeat(60)}.abcd`;
    expect(hostNameProblem(name)).toBeUndefined();
    expect(machineNameProblem(name)).toContain('64');
    expect(machineNameProblem('worker-0.example.com')).toBeUndefined();
  });
});

describe('literals', () => {
  const addressLike = fc.oneof(
    fc.ipV6(),
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.string({ unit: fc.constantFrom(':', '0', 'f', '1', '.', '::', 'a'), maxLength: 20 }),
  );

  it('are the ones that Node takes', () => {
    fc.assert(
      fc.property(addressLike, (text) => {
        expect(isIpv4(text)).toBe(isIPv4(text));
        expect(parseIpv6(text) !== undefined).toBe(isIPv6(text));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['2001:db8::1', '[2001:db8::1]'],
    ['fe80::1%eth0', '[fe80::1%25eth0]'],
    ['192.0.2.1', '192.0.2.1'],
    ['h', 'h'],
  ])('%s stands in a URL as %s', (text, expected) => {
    const host = parseHost(text);
    expect(host.kind === 'invalid' ? '' : formatUrlHost(host)).toBe(expected);
  });
});

it.each([
  ['localhost', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['[::1]', true],
  ['127.example.com', false],
  ['[::]', false],
  ['', false],
])('isLoopbackHost: %s: %s', (text, expected) => {
  expect(isLoopbackHost(text)).toBe(expected);
});
