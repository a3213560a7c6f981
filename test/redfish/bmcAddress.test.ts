import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bmcKind, bmcSchemes, parseBmcAddress } from '../../src/redfish/bmcAddress.ts';
import { webUrl } from '../support/arbitraryText.ts';

const read = (text: string) => {
  const address = parseBmcAddress(text);
  if ('problem' in address) throw new Error(address.problem);
  return address;
};

describe('parseBmcAddress', () => {
  it.each([
    ['an address alone is IPMI', '192.0.2.1', { scheme: 'ipmi', host: '192.0.2.1', path: '' }],
    ['a name alone is IPMI', 'my.bmc.example', { scheme: 'ipmi', host: 'my.bmc.example' }],
    ['host and port', '192.0.2.1:6233', { scheme: 'ipmi', port: 6233 }],
    ['IPv6 and port', '[fe80::1]:6233', { scheme: 'ipmi', host: '[fe80::1]', port: 6233 }],
    ['IPMI', 'ipmi://192.0.2.1:6233', { scheme: 'ipmi', port: 6233 }],
    ['IPMI without slashes', 'ipmi:192.0.2.1:6233', { scheme: 'ipmi', host: '192.0.2.1', port: 6233 }],
    ['a privilege level', 'ipmi://h?privilegelevel=OPERATOR', { privilegeLevel: 'OPERATOR' }],
    ['libvirt', 'libvirt://192.0.2.1:6233/', { scheme: 'libvirt' }],
    ['redfish with a system', 'redfish://h/redfish/v1/Systems/1', { path: '/redfish/v1/Systems/1' }],
    ['redfish without slashes', 'redfish:192.0.2.1', { scheme: 'redfish', host: '192.0.2.1' }],
    ['redfish over http', 'redfish+http://h:8000/x', { scheme: 'redfish', transport: 'http', port: 8000 }],
    ['https is the default', 'redfish://h', { transport: 'https' }],
    ['upper case', 'REDFISH-VirtualMedia://h', { scheme: 'redfish-virtualmedia' }],
    ['IPv6 in a URL', 'redfish://[2001:db8::1]:8443/x', { host: '[2001:db8::1]', port: 8443, path: '/x' }],
    ['escapes in the path', 'redfish://h/a%20b', { path: '/a%20b' }],
  ])('reads %s', (_title, text, parts) => {
    expect(read(text)).toMatchObject({ text, ...parts });
  });

  it.each([
    ['nothing', ''],
    ['a blank', 'redfish://h /x'],
    ['no host', 'redfish:///redfish/v1'],
    ['the scheme of the transport', 'https://h/redfish/v1/Systems/1'],
    ['an unknown scheme', 'vnc://h'],
    ['a dropped driver', 'irmc://h'],
    ['an unknown variant', 'redfish+ftp://h'],
    ['a variant of IPMI', 'ipmi+https://h'],
    ['IPv6 without brackets', 'redfish://2001:db8::1/x'],
    ['a broken IPv6 address', '[fe80::fc33:62ff:fe33:8xff]:6223'],
    ['a broken name', 'my-.example.com'],
    ['port 0', 'ipmi://h:0'],
    ['port 65536', 'ipmi://h:65536'],
    ['a path of IPMI', 'ipmi://h/x'],
    ['a query of redfish', 'redfish://h/x?a=b'],
    ['an unknown level', 'ipmi://h?privilegelevel=ROOT'],
    ['a fragment', 'redfish://h/x#y'],
    ['a broken escape', 'redfish://h/%2'],
    ['an escape that is not UTF-8', 'redfish://h/%e9'],
    ['a name and a port without a scheme', 'my.host:623'],
    ['IPv6 without a scheme', '2001:db8::1'],
    ['IPv6 without scheme and port', '[2001:db8::1]'],
    ['a privilege level after a port, without a scheme', '192.0.2.1:623?privilegelevel=USER'],
    ['a zone', 'redfish://[fe80::1%25eth0]/x'],
    ['a line break', 'redfish://h\n'],
    ['too much', `redfish://${'a'.repeat(3000)}`],
  ])('refuses %s', (_title, text) => {
    expect(parseBmcAddress(text)).toHaveProperty('problem');
  });

  it.each([
    'idrac-wsman://192.0.2.1',
    '192.0.2.1:6230:x',
    'redfish://[fe80::1%25eth0]/x',
    'irmc://192.0.2.1',
  ])('does not name Metal3 to a user of plain Ironic: %s', (text) => {
    const address = parseBmcAddress(text);
    expect(address).toHaveProperty('problem');
    expect(JSON.stringify(address)).not.toContain('Metal3');
  });

  it('refuses a user, and does not repeat it', () => {
    const problem = parseBmcAddress('redfish://admin:hunter2@h/x');
    expect(problem).toHaveProperty('problem', 'it contains a user');
    expect(JSON.stringify(problem)).not.toMatch(/admin|hunter2/);
  });

  it.each(bmcSchemes)('knows a driver for %s', (scheme) => {
    const address = read(`${scheme}://192.0.2.1`);
    expect(bmcKind(address).driver).toMatch(/^(ipmi|redfish|idrac)$/);
    expect(bmcKind(address).bootInterface !== 'ipxe').toBe(/virtualmedia|uefihttp/.test(scheme));
  });

  it('never throws, and reads again what it has read', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom(...bmcSchemes), webUrl())
        .map(([scheme, url]) => url.replace(/^https?/, scheme)),
    );
    fc.assert(
      fc.property(text, (value) => {
        const address = parseBmcAddress(value);
        expect('scheme' in address ? parseBmcAddress(address.text) : address).toEqual(address);
      }),
    );
  });
});
