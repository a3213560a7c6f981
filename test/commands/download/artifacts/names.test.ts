/** Names of files and places of metadata, out of what users and servers give. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameOf, unpackedNameOf } from '../../../../src/commands/download/artifacts/plan.ts';
import { machineName } from '../../../../src/core/architecture.ts';
import { isAuthentic, locateStream } from '../../../../src/commands/download/artifacts/streamMetadata.ts';
import { CliError, UsageError } from '../../../../src/core/errors.ts';
import { codePoint } from '../../../support/arbitraryText.ts';

function nameOrNone(url: URL): string {
  try {
    return fileNameOf(url);
  } catch (error) {
    return error instanceof CliError ? 'none' : '/a defect';
  }
}

describe('fileNameOf', () => {
  it.each([
    ['https://example.com/a/coreos.iso', 'coreos.iso'],
    ['https://example.com/coreos.iso?sig=a/b#c/d', 'coreos.iso'],
    ['https://example.com/a%2Fb%00.iso', 'a%2Fb%00.iso'],
    ['https://example.com/a\\b.iso', 'b.iso'],
  ])('%s gives %s', (url, name) => {
    expect(fileNameOf(new URL(url))).toBe(name);
  });

  it.each([
    'https://example.com',
    'https://example.com/a/',
    'https://example.com/a/..',
    'https://example.com/a/%2e%2e',
    'https://example.com/.bashrc',
  ])('refuses %s', (url) => {
    expect(() => fileNameOf(new URL(url))).toThrow(CliError);
  });

  it('never leads out of the folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (path) => {
        fc.pre(URL.canParse(`https://example.com/${path}`));
        expect(nameOrNone(new URL(`https://example.com/${path}`))).toMatch(/^[^./\\\0][^/\\\0]*$/);
      }),
    );
  });
});

describe('unpackedNameOf', () => {
  it.each([
    ['a.raw.xz', 'a.raw'],
    ['a.raw.gz', 'a.raw'],
    ['a.raw.zst', 'a.raw'],
    ['a.tar.gz', undefined],
    ['a.iso', undefined],
    ['xz', undefined],
  ])('%s holds %s', (name, unpackedName) => {
    expect(unpackedNameOf(name)).toBe(unpackedName);
  });
});

describe('locateStream', () => {
  it.each([
    ['https://example.com/streams/', 'https://example.com/streams/stable.json'],
    ['https://example.com/streams', 'https://example.com/stable.json'],
    ['https://example.com/rhcos.json', 'https://example.com/rhcos.json'],
    ['https://example.com/rhcos.json?token=a', 'https://example.com/rhcos.json?token=a'],
  ])('%s is the URL %s', (base, url) => {
    expect(locateStream(base, 'stable')).toEqual(new URL(url));
  });

  it.each([
    ['rhcos.json', 'rhcos.json'],
    ['/srv/streams', '/srv/streams/stable.json'],
    ['/srv/streams/', '/srv/streams/stable.json'],
    ['file:///srv/my%20streams/', '/srv/my streams/stable.json'],
  ])('%s is the file %s', (base, path) => {
    expect(locateStream(base, 'stable')).toBe(path);
  });

  it.each([
    ['', 'stable'],
    ['ftp://example.com/', 'stable'],
    ['file://server/share', 'stable'],
    ['file:///tmp/a%b.json', 'stable'],
    ['file:///tmp/%e9', 'stable'],
    ['file:///tmp/100%', 'stable'],
    ['https://', 'stable'],
    ['/srv', '../etc/passwd'],
    ['/srv', ''],
  ])('refuses %j and %j', (base, stream) => {
    expect(() => locateStream(base, stream)).toThrow(UsageError);
  });

  it('names the variable that has the value', () => {
    expect(() => locateStream('ftp://example.com/', 'stable', 'MIRROR')).toThrow(
      'unsupported URL scheme for MIRROR',
    );
  });
});

describe('isAuthentic', () => {
  it.each([
    [['https://example.com/'], true],
    [['http://127.0.0.1:8080/'], true],
    [['http://[::1]/'], true],
    [['http://example.com/'], false],
    [['http://127.0.0.1.example.com/'], false],
    [['https://example.com/', 'http://example.com/'], false],
  ])('%j: %s', (urls, expected) => {
    expect(isAuthentic(urls.map((url) => new URL(url)))).toBe(expected);
  });
});

describe('machineName', () => {
  it.each([
    ['x64', 'x86_64'],
    ['arm64', 'aarch64'],
    ['s390x', 's390x'],
  ])('%s is %s', (arch, name) => {
    expect(machineName(arch)).toBe(name);
  });
});
