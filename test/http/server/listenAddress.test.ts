import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CliError, UsageError } from '../../../src/core/errors.ts';
import {
  formatOrigin,
  inheritedAddress,
  isLoopback,
  listenError,
  listenOptions,
  parseListenAddress,
} from '../../../src/http/server/listenAddress.ts';

describe('parseListenAddress', () => {
  it.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['[::1]:8443', '::1', 8443],
    ['[2001:DB8::0001]:80', '2001:db8::1', 80],
    ['[fe80::1%eth0]:80', 'fe80::1%eth0', 80],
    [':8084', undefined, 8084],
    ['[::]:8084', undefined, 8084],
    ['[0:0:0:0:0:0:0:0]:8084', undefined, 8084],
    ['[::2]:8084', '::2', 8084],
    ['0.0.0.1:8084', '0.0.0.1', 8084],
    ['localhost:0', 'localhost', 0],
    ['images.example.com:65535', 'images.example.com', 65_535],
  ])('%s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ kind: 'tcp', host, port });
  });

  it.each([
    ['', 'it is not ADDRESS:PORT'],
    ['8080', 'it is not ADDRESS:PORT'],
    ['localhost', 'it is not ADDRESS:PORT'],
    ['127.0.0.1:', 'it is not ADDRESS:PORT'],
    [':', 'it is not ADDRESS:PORT'],
    ['[::1]', 'it is not ADDRESS:PORT'],
    [':99999', 'the port 99999 is above 65535'],
    ['127.0.0.1:65536', 'the port 65536 is above 65535'],
    ['[::1]:123456789', 'the port 123456789 is above 65535'],
    ['127.0.0.1:-1', 'it is not ADDRESS:PORT'],
    ['127.0.0.1:http', 'it is not ADDRESS:PORT'],
    [':80 ', 'it is not ADDRESS:PORT'],
    ['::1:8080', 'it is not ADDRESS:PORT'],
    ['[]:80', '"": it is empty'],
    ['[127.0.0.1]:80', 'only IPv6 addresses have brackets'],
    ['[localhost]:80', 'only IPv6 addresses have brackets'],
    ['[::1:80', 'it is not ADDRESS:PORT'],
    ['1.2.3:80', '"1.2.3": it ends in a number, but is not an IPv4 address'],
    ['a b:80', '"a b": it contains a space'],
    ['http://127.0.0.1:80', 'it is not ADDRESS:PORT'],
  ])('refuses %j: %s', (text, problem) => {
    const refusal = `Cannot listen on ${JSON.stringify(text)}: ${problem}`;
    expect(() => parseListenAddress(text)).toThrow(expect.objectContaining({ message: refusal }));
    expect(() => parseListenAddress(text)).toThrow(UsageError);
  });
});

describe('0.0.0.0', () => {
  const address = parseListenAddress('0.0.0.0:8084');

  it('is all addresses of IPv4', () => {
    expect(address).toEqual({ kind: 'tcp', host: undefined, isIpv4Only: true, port: 8084 });
    expect(listenOptions(address)).toMatchObject({ host: '0.0.0.0', port: 8084 });
    const taken = Object.assign(new Error('EADDRINUSE'), { code: 'EADDRINUSE' });
    expect(listenError(taken, address)).toMatchObject({
      message: 'Cannot listen on 0.0.0.0:8084: the address is already in use',
    });
  });
});

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1:80', true],
    ['127.1.2.3:80', true],
    ['[::1]:80', true],
    ['localhost:80', true],
    [':80', false],
    ['0.0.0.0:80', false],
    ['127.example.com:80', false],
  ])('%s: %s', (text, expected) => {
    expect(isLoopback(parseListenAddress(text))).toBe(expected);
  });
});

describe('inheritedAddress', () => {
  it('is the socket of systemd where there is one for this process', () => {
    expect(inheritedAddress({ LISTEN_PID: '7', LISTEN_FDS: '1' }, 7)).toEqual({ kind: 'inherited', fd: 3 });
    expect(inheritedAddress({ LISTEN_PID: '8', LISTEN_FDS: '1' }, 7)).toBeUndefined();
    expect(inheritedAddress({}, 7)).toBeUndefined();
    expect(() => inheritedAddress({ LISTEN_PID: '7', LISTEN_FDS: '2' }, 7)).toThrow(CliError);
  });
});

describe('formatOrigin', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['::1', 'http://[::1]:80'],
    ['fe80::1%eth0', 'http://[fe80::1%25eth0]:80'],
    ['::', 'http://localhost:80'],
    ['0.0.0.0', 'http://localhost:80'],
  ])('%s is %s', (address, origin) => {
    expect(formatOrigin('http', { address, port: 80, family: '' })).toBe(origin);
  });
});

describe('listenError', () => {
  it.each([
    ['EADDRINUSE', '127.0.0.1:80', 'Cannot listen on 127.0.0.1:80: the address is already in use'],
    ['EACCES', ':80', 'Cannot listen on :80: ports below 1024 require privileges'],
    ['EADDRNOTAVAIL', '[::2]:80', 'Cannot listen on [::2]:80: this machine does not have this address'],
    ['EXYZ', 'a:1', 'Cannot listen on a:1: EXYZ'],
  ])('%s is a sentence with a hint', (code, address, message) => {
    const error = listenError(Object.assign(new Error(code), { code }), parseListenAddress(address));
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ message, hint: expect.any(String) });
  });

  it('tells that an inherited socket is none', async () => {
    const address = { kind: 'inherited', fd: 999 } as const;
    const error = await new Promise((resolve) => {
      createServer().once('error', resolve).listen(listenOptions(address));
    });
    expect(listenError(error, address)).toMatchObject({
      message: 'Cannot listen on the systemd socket (file descriptor 999): it is not a listening socket',
    });
  });

  it('passes on what is no system error', () => {
    const error = new Error('a defect');
    expect(listenError(error, parseListenAddress(':1'))).toBe(error);
  });
});
