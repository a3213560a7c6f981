import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConsole, checkIp } from '../../src/kargs/argumentValues.ts';

describe('checkConsole', () => {
  it.each(
    `tty0 tty ttyS0 ttyS1,115200 ttyS0,115200n8 ttyS0,9600e7 ttyS0,115200n8r ttyAMA0,115200n8 ttyUSB0,57600
    ttysclp0 hvc0 null ttynull lp0 uart8250,io,0x3f8,115200n8 uart,mmio32,0xfe000000 uart8250,0x3f8
    pl011,mmio32,0x87e024000000`.split(/\s+/),
  )('accepts %s', (value) => {
    expect(checkConsole(value)).toEqual([]);
  });

  it.each([
    ['console=ttyS0', 'console-spec'],
    ['/dev/ttyS0', 'console-spec'],
    ['', 'console-spec'],
    ['ttyS', 'console-spec'],
    ['0', 'console-spec'],
    ['COM1', 'console-spec'],
    ['tty0,115200', 'console-spec'],
    ['ttyS0 115200', 'console-spec'],
    ['uart8250,io,3f8', 'console-spec'],
    ['ttyS0,', 'console-options'],
    ['ttyS0,n8', 'console-options'],
    ['ttyS0,115200x8', 'console-options'],
    ['ttyS0,115200n9', 'console-options'],
    ['ttyS0,115200,n,8', 'console-options'],
    ['ttyS0,115200n8 quiet', 'console-options'],
    ['ttyS0,115200n8rr', 'console-options'],
  ])('%j breaks %s', (value, rule) => {
    expect(checkConsole(value).map((issue) => issue.rule.id)).toEqual([rule]);
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(checkConsole(text).length).toBeLessThan(2);
      }),
    );
  });
});

describe('checkIp', () => {
  it.each(
    `dhcp dhcp6 dhcp,dhcp6 auto6 either6 link6 on ibft off
    eth0:dhcp enp1s0f0:dhcp6:1500 bond0.5:auto6 eth0:dhcp:9000:52:54:00:12:34:56
    192.0.2.5::192.0.2.1:255.255.255.0:host:eth0:none 192.0.2.5::192.0.2.1:24::eth0:off:192.0.2.53
    [2001:db8::5]::[2001:db8::1]:64:host:eth0:none :::::eth0:dhcp 192.0.2.5::192.0.2.1:24::eth0 52-54-00-00-00-01:dhcp
    192.0.2.5::192.0.2.1:24::52-54-00-00-00-01:none:1400 [192.0.2.5]::[192.0.2.1]:[24]::eth0:none
    [2001:db8::5/64]:::[64]::eth0:none [2001:db8::5]/64:::::eth0:none 192.0.2.5/24:::::eth0:none`.split(
      /\s+/,
    ),
  )('accepts %s', (value) => {
    expect(checkIp(value)).toEqual([]);
  });

  it.each([
    '',
    ...`ip=dhcp DHCP dhpc eth0 eth0:dhpc dhcp:eth0 192.0.2.5 192.0.2.5/24 2001:db8::5 :::::
    192.0.2.5::192.0.2.1:255.255.255.0 192.0.2.500::192.0.2.1:24::eth0:none host::192.0.2.1:24::eth0:none
    2001:db8::5::2001:db8::1:64::eth0:none 192.0.2.5::192.0.2.1:24::verylonginterface0:none
    192.0.2.5::192.0.2.1:24::eth0:sometimes [24]::[2001:db8::1]:64::eth0:none [2001:db8::5]::[1]:64::eth0:none
    [2001:db8::5::6]::[2001:db8::1]:64::eth0:none 192.0.2.5::192.0.2.1:[]::eth0:none`.split(/\s+/),
  ])('refuses %j', (value) => {
    expect(checkIp(value).map(({ rule }) => rule.id)).toEqual(['ip-spec']);
  });

  it.each([
    ['192.0.2.5::192.0.2.1:255.255.255.1:h:eth0:none', 'ip-netmask'],
    ['192.0.2.5::192.0.2.1:33:h:eth0:none', 'ip-netmask'],
    ['[2001:db8::5]::[2001:db8::1]:129:h:eth0:none', 'ip-netmask'],
    ['192.0.2.5::198.51.100.1:255.255.255.0:h:eth0:none', 'ip-gateway'],
    ['[2001:db8::5]::[2001:db8:1::1]:64:h:eth0:none', 'ip-gateway'],
    ['[2001:db8::5]::[fe80::1]:64:h:eth0:none', undefined],
    ['192.0.2.5::198.51.100.1:32:h:eth0:none', undefined],
  ])('%s has the problem %s', (value, rule) => {
    expect(checkIp(value)[0]?.rule.id).toBe(rule);
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(checkIp(text).length).toBeLessThan(2);
      }),
    );
  });
});
