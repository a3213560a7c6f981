/** What is downloaded for an image, where its metadata is wrong. */

import { describe, expect, it } from 'vitest';
import { planImage } from '../../../../src/commands/download/artifacts/plan.ts';
import type { StreamArtifact } from '../../../../src/commands/download/artifacts/streamMetadata.ts';
import { CliError } from '../../../../src/core/errors.ts';

const base = new URL('https://example.com/streams/stable.json');
const artifact = (change: Partial<StreamArtifact>): StreamArtifact => ({
  architecture: 'x86_64',
  platform: 'metal',
  format: 'pxe',
  name: 'kernel',
  release: undefined,
  location: 'https://example.com/kernel',
  signature: undefined,
  sha256: undefined,
  uncompressedSha256: undefined,
  ...change,
});
const plan = (changes: readonly Partial<StreamArtifact>[], decompress = false): string[] =>
  planImage(
    changes.map(artifact),
    { base, isAuthentic: true, isSigned: false },
    { decompress, insecure: false },
  ).map(({ url }) => url.href);

describe('planImage', () => {
  it('takes locations beside the metadata', () => {
    expect(plan([{ location: '../builds/kernel' }])).toEqual(['https://example.com/builds/kernel']);
  });

  it.each<readonly [title: string, changes: Partial<StreamArtifact>[], decompress: boolean, message: string]>(
    [
      [
        'a location of a file',
        [{ location: 'file:///etc/passwd?secret' }],
        false,
        'The stream metadata contains an invalid location for x86_64 metal pxe kernel',
      ],
      [
        'a signature that is no URL',
        [{ signature: 'https://[secret' }],
        false,
        'The stream metadata contains an invalid location for x86_64 metal pxe kernel',
      ],
    ],
  )('refuses %s', (_title, changes, decompress, message) => {
    expect(() => plan(changes, decompress)).toThrow(CliError);
    expect(() => plan(changes, decompress)).toThrow(message);
    expect(() => plan(changes, decompress)).not.toThrow('secret');
  });
});
