/** Files that Ignition could not write on boot. */

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatPath } from '../../src/core/finding.ts';
import type { Resource } from '../../src/ignition/config.ts';
import { bootIssues } from '../../src/ignition/contents.ts';

const sum = (data: string) => createHash('sha256').update(data).digest('hex');
const dataUrl = (data: Buffer) => `data:;base64,${data.toString('base64')}`;
const zipped = dataUrl(gzipSync('hello'));
const issues = (contents: Resource): string[] =>
  bootIssues({
    storage: { files: [{ path: '/a', contents: { source: 'data:,x' }, append: [contents] }, { contents }] },
  }).map(({ rule, path }) => `${rule} ${formatPath(path)}`);
const both = (id: string, field: string): string[] => [
  `${id} $.storage.files.0.append.0.${field}`,
  `${id} $.storage.files.1.contents.${field}`,
];

describe('bootIssues', () => {
  it.each<[string, Resource]>([
    ['nothing', {}],
    ['plain contents', { source: 'data:,hello' }],
    ['an empty compression', { source: 'data:,hello', compression: '' }],
    ['compressed contents', { source: zipped, compression: 'gzip' }],
    [
      'a remote file',
      { source: 'https://192.0.2.1/x', compression: 'gzip', verification: { hash: 'sha256-0' } },
    ],
    ['the hash of the contents', { source: 'data:,hello', verification: { hash: `sha256-${sum('hello')}` } }],
    [
      'the hash of what is unpacked, in capital letters',
      { source: zipped, compression: 'gzip', verification: { hash: `sha256-${sum('hello').toUpperCase()}` } },
    ],
    [
      'more than is checked',
      { source: dataUrl(gzipSync(Buffer.alloc(257 * 1024 * 1024))), compression: 'gzip' },
    ],
    [
      'more gzip members than are checked',
      {
        source: dataUrl(Buffer.concat(Array.from({ length: 4097 }, () => gzipSync('')))),
        compression: 'gzip',
      },
    ],
  ])('finds nothing in %s', (_title, contents) => {
    expect(issues(contents)).toEqual([]);
  });

  it.each<[string, Resource]>([
    ['plain text', { source: 'data:,hello', compression: 'gzip' }],
    ['nothing', { source: 'data:,', compression: 'gzip' }],
    ['a part of a gzip member', { source: dataUrl(gzipSync('hello').subarray(0, -1)), compression: 'gzip' }],
  ])('finds %s that is said to be compressed', (_title, contents) => {
    expect(issues(contents)).toEqual(both('contents-undecodable', 'source'));
  });

  it('finds the hash of other contents, such as those before they are unpacked', () => {
    const other = both('contents-hash-mismatch', 'verification.hash');
    expect(issues({ source: 'data:,hello', verification: { hash: `sha256-${sum('x')}` } })).toEqual(other);
    const hash = `sha512-${createHash('sha512').update(gzipSync('hello')).digest('hex')}`;
    expect(issues({ source: zipped, compression: 'gzip', verification: { hash } })).toEqual(other);
  });
});
