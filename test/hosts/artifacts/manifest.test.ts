import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import {
  formatChecksums,
  formatManifest,
  isInside,
  type Manifest,
  parseManifest,
} from '../../../src/hosts/artifacts/manifest.ts';

const sha256 = 'a'.repeat(64);
const manifest: Manifest = {
  version: 1,
  generator: { name: 'ironic-coreos', version: '1.2.3' },
  layout: 'folder',
  baseUrl: null,
  artifacts: [],
  inputs: [],
  hosts: [
    { name: 'a', macs: ['52:54:00:00:00:01'], architecture: 'x86_64', state: 'prepared', images: 'x86_64-1' },
  ],
  files: [
    { path: 'b', kind: 'script', size: 1, sha256, mode: '0644' },
    {
      path: 'hosts/a/config.ign',
      kind: 'ign',
      size: 2,
      sha256,
      mode: '0600',
      host: 'a',
      secrets: ['a pull secret'],
      recipe: sha256,
    },
  ],
};

function textOf(one: Manifest): string {
  return [...formatManifest(one)].join('');
}

describe('manifest', () => {
  it('is read as it was written', () => {
    expect(parseManifest(textOf(manifest))).toEqual(manifest);
  });

  it('has one line for each host and each file', () => {
    const text = textOf(manifest);
    expect(JSON.parse(text)).toEqual(manifest);
    const items = text.split('\n').filter((line) => line.startsWith('    '));
    expect(items.map((line) => JSON.parse(line.replace(/,$/, '')))).toEqual([
      ...manifest.hosts,
      ...manifest.files,
    ]);
  });

  it('is the same whatever the order of its parts', () => {
    const other = { ...manifest, files: manifest.files.toReversed() };
    expect(textOf(other)).toBe(textOf(manifest));
  });

  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['a list', '[]', 'it was not written by this program'],
    ['somebody else’s', '{"generator":{"name":"x"}}', 'it was not written by this program'],
    ['of a later version', textOf(manifest).replace('"version": 1,', '"version": 2,'), 'newer version'],
    ['without files', textOf(manifest).replace('"files"', '"fyles"'), 'damaged'],
    ['with a size that is no number', textOf(manifest).replace('"size":1', '"size":"1"'), 'damaged'],
    [
      'with a step upwards',
      textOf(manifest).replace('"b"', '"../b"'),
      'it contains a path outside of the folder: "../b"',
    ],
    [
      'with an absolute path',
      textOf(manifest).replace('"b"', '"/b"'),
      'it contains a path outside of the folder: "/b"',
    ],
  ])('refuses one that is %s', (_title, text, message) => {
    expect(() => parseManifest(text)).toThrow(message);
  });

  it('refuses any other JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => parseManifest(text)).toThrow(FormatError);
      }),
    );
  });

  it('lets no path lead out of the folder', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', '', 'a', 'b..', '\0')), (steps) => {
        const path = steps.join('/');
        expect(isInside(path)).toBe(
          steps.length > 0 && steps.every((step) => step === 'a' || step === 'b..'),
        );
      }),
    );
  });
});

describe('formatChecksums', () => {
  it('sorts by path', () => {
    const text = [...formatChecksums(manifest.files.toReversed())].join('');
    expect(text).toBe(`${sha256}  b\n${sha256}  hosts/a/config.ign\n`);
  });
});
