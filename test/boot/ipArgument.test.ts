import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkIp } from '../../src/boot/argumentValues.ts';

describe('checkIp', () => {
  it.each(
    `dhcp dhcp6 dhcp,dhcp6 auto6 either6 link6 on ibft off
    eth0:dhcp enp1s0f0:dhcp6:1500 bond0.5:auto6 eth0:dhcp:9000:52:54:00:12:34:56
    192.0.2.5::192.0.2.1:255.255.255.0:host:eth0:none 192.0.2.5::192.0.2.1:24::eth0:off:192.0.2.53
    [2001:db8::5]::[2001:db8::1]:64:host:eth0:none :::::eth0:dhcp 192.0.2.5::192.0.2.1:24::eth0`.split(/\s+/),
  )('accepts %s', (value) => {
    expect(checkIp(value)).toEqual([]);
  });

  it.each([
    '',
    ...`ip=dhcp DHCP dhpc eth0 eth0:dhpc dhcp:eth0 192.0.2.5 192.0.2.5/24 2001:db8::5 :::::
    192.0.2.5::192.0.2.1:255.255.255.0 192.0.2.500::192.0.2.1:24::eth0:none host::192.0.2.1:24::eth0:none
    2001:db8::5::2001:db8::1:64::eth0:none 192.0.2.5::192.0.2.1:24::verylonginterface0:none
    192.0.2.5::192.0.2.1:24::eth0:sometimes`.split(/\s+/),
  ])('refuses %j', (value) => {
    expect(checkIp(value).map(({ rule }) => rule.id)).toEqual(['ip-spec']);
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(checkIp(text).length).toBeLessThan(2);
      }),
    );
  });
});
