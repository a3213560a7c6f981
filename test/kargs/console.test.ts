import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConsole } from '../../src/kargs/console.ts';

describe('checkConsole', () => {
  it.each(
    `tty0 tty ttyS0 ttyS1,115200 ttyS0,115200n8 ttyS0,9600e7 ttyS0,115200n8r ttyAMA0,115200n8 ttyUSB0,57600
    ttysclp0 hvc0 null ttynull lp0 uart8250,io,0x3f8,115200n8 uart,mmio32,0xfe000000 uart8250,0x3f8
    pl011,mmio32,0x87e024000000 00:03:0.0 serial8250:0.0,115200n8`.split(/\s+/),
  )('accepts %s', (value) => {
    expect(checkConsole(value)).toEqual([]);
  });

  it('accepts nothing, with which the kernel has no console, as with null', () => {
    expect(checkConsole('')).toEqual([]);
  });

  it.each([
    ['console=ttyS0', 'console-spec'],
    ['/dev/ttyS0', 'console-spec'],
    ['ttyS', 'console-spec'],
    ['0', 'console-spec'],
    ['COM1', 'console-spec'],
    ['00:03:0', 'console-spec'],
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
    expect(checkConsole(value).map((issue) => issue.rule)).toEqual([rule]);
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(checkConsole(text).length).toBeLessThan(2);
      }),
    );
  });
});
