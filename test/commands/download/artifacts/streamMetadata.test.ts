/** Stream metadata as its makers write it, and everything that is none. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseStreamMetadata,
  selectImage,
} from '../../../../src/commands/download/artifacts/streamMetadata.ts';
import { FormatError } from '../../../../src/core/errors.ts';
import { sharedData, sharedDataNote } from '../../../support/sharedData.ts';

const digest = 'ab'.repeat(32);

function metadataOf(disk: object): string {
  const formats = { iso: { disk } };
  return JSON.stringify({
    stream: 'stable',
    architectures: { x86_64: { artifacts: { metal: { release: '1', formats } }, images: {} } },
  });
}

function problemOf(text: string): string {
  try {
    return parseStreamMetadata(text, 'x').stream;
  } catch (error) {
    return error instanceof FormatError ? error.message : 'a defect';
  }
}

describe('parseStreamMetadata', () => {
  it('reads a file with all its fields', () => {
    const disk = {
      location: 'https://example.com/a.iso',
      signature: 'https://example.com/a.iso.sig',
      sha256: digest.toUpperCase(),
      'uncompressed-sha256': digest,
      more: 1,
    };
    expect(parseStreamMetadata(metadataOf(disk), 'stable.json').images[0]?.artifacts).toEqual([
      {
        architecture: 'x86_64',
        platform: 'metal',
        format: 'iso',
        name: 'disk',
        release: '1',
        location: disk.location,
        signature: disk.signature,
        sha256: digest,
        uncompressedSha256: digest,
      },
    ]);
  });

  it('leaves out an artifact without a location, and reads all others', () => {
    const metadata = JSON.parse(metadataOf({ location: 'https://example.com/a.iso' }));
    const { formats } = metadata.architectures.x86_64.artifacts.metal;
    formats.pxe = { kernel: { sha256: digest }, rootfs: { location: 'https://example.com/r.img' } };
    const { images } = parseStreamMetadata(JSON.stringify(metadata), 'stable.json');
    expect(images.map(({ artifacts }) => artifacts.map(({ name }) => name))).toEqual([['disk'], ['rootfs']]);
  });

  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['a list', '[]', 'the document is not an object'],
    ['nothing', '{}', 'architectures is not an object'],
    ['null', '{"architectures":{"x86_64":null}}', 'x86_64 is not an object'],
    ['a location that is a number', metadataOf({ location: 1 }), '`location` is not a string'],
    ['a wrong digest', metadataOf({ location: 'a', sha256: 'abc' }), '`sha256` is not a SHA-256 digest'],
  ])('refuses %s', (_title, text, problem) => {
    expect(() => parseStreamMetadata(text, 'stable.json')).toThrow(
      `stable.json is not valid stream metadata: ${problem}`,
    );
  });

  it('never throws anything but FormatError', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        fc.constant(null),
        fc.string(),
        fc.integer(),
        fc.dictionary(
          fc.constantFrom('architectures', 'x86_64', 'artifacts', 'formats', 'location', '__proto__'),
          tie('node'),
          { maxKeys: 4 },
        ),
      ),
    })).node;
    fc.assert(
      fc.property(value, (document) => {
        expect(problemOf(JSON.stringify(document))).not.toBe('a defect');
      }),
    );
  });
});

describe('selectImage', () => {
  const file = { location: 'https://example.com/a' };
  const metadata = parseStreamMetadata(
    JSON.stringify({
      stream: 'stable',
      architectures: {
        x86_64: {
          artifacts: {
            qemu: { formats: { qcow2: { disk: file } } },
            metal: { formats: { pxe: { rootfs: file, kernel: file }, iso: { disk: file } } },
          },
        },
      },
    }),
    'x',
  );

  it('takes all files of the image', () => {
    const { artifacts } = selectImage(metadata, { architecture: 'x86_64', platform: 'metal', format: 'pxe' });
    expect(artifacts.map(({ name }) => name)).toEqual(['kernel', 'rootfs']);
  });

  it.each([
    [{ architecture: 's390x', platform: 'metal', format: 'iso' }, 'x86_64'],
    [{ architecture: 'x86_64', platform: 'gcp', format: 'iso' }, 'metal, qemu'],
    [{ architecture: 'x86_64', platform: 'metal', format: '4k.raw.xz' }, 'iso, pxe'],
  ])('says what there is instead of %j', (choice, values) => {
    expect(() => selectImage(metadata, choice)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(values) as unknown }),
    );
  });
});

describe.skipIf(sharedData === undefined)(`real metadata${sharedDataNote}`, () => {
  it.each([
    ['fcos-stable.json', { architecture: 'x86_64', platform: 'metal', format: 'pxe' }, true],
    ['fcos-stable-2026-07.json', { architecture: 'x86_64', platform: 'metal', format: 'pxe' }, true],
    ['fcos-stable-2026-07.json', { architecture: 's390x', platform: 'metal', format: 'iso' }, true],
    ['rhcos-4.11-reduced.json', { architecture: 'aarch64', platform: 'metal', format: 'iso' }, false],
  ])('%s', (file, choice, isSigned) => {
    const text = readFileSync(join(sharedData ?? '', 'streams', file), 'utf8');
    const metadata = parseStreamMetadata(text, file);
    const { artifacts } = selectImage(metadata, choice);
    expect(artifacts.every(({ sha256 }) => sha256 !== undefined)).toBe(true);
    expect(artifacts.every(({ signature }) => (signature !== undefined) === isSigned)).toBe(true);
    expect(metadata.images.length).toBeGreaterThan(1);
  });
});
