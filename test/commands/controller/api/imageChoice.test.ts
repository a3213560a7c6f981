/** Which image an object gets, from what there is. */

import { describe, expect, it } from 'vitest';
import { chooseImage, type PossibleImages } from '../../../../src/commands/controller/api/imageChoice.ts';
import type { ImageFormat } from '../../../../src/commands/controller/api/preprovisioningImage.ts';
import { imagesName, type ImagesName } from '../../../../src/hosts/plan/baseCatalog.ts';

const possibleOf = (
  formats: readonly (readonly [ImagesName, readonly ImageFormat[]])[],
  stream?: string,
): PossibleImages => ({ formats: new Map(formats), stream });

const both = possibleOf([['x86_64', ['iso', 'initrd']]]);
const several = possibleOf([
  ['x86_64', ['iso', 'initrd']],
  ['aarch64', ['initrd']],
]);

describe('the image of an object', () => {
  const only = possibleOf([['aarch64', ['iso']]]);

  it.each([
    ['the first format', ['x86_64', 'iso', 'initrd'], both, 'x86_64 iso'],
    ['the first format, in the order of the operator', ['x86_64', 'initrd', 'iso'], both, 'x86_64 initrd'],
    ['the first that there is', ['aarch64', 'iso', 'initrd'], several, 'aarch64 initrd'],
    ['past formats that nobody knows', ['x86_64', 'uki', 'iso'], both, 'x86_64 iso'],
    ['of the only architecture', [undefined, 'iso'], only, 'aarch64 iso'],
    ['of the usual architecture', [undefined, 'iso'], several, 'x86_64 iso'],
  ])('is %s', (_title, [architecture, ...formats], possible, expected) => {
    const acceptFormats = formats.flatMap((format) => format ?? []);
    const spec = { architecture, acceptFormats, networkDataName: undefined };
    const choice = chooseImage({ spec, stream: undefined }, possible);
    expect('kind' in choice ? choice : `${choice.architecture} ${choice.format}`).toBe(expected);
  });

  it.each([
    [
      'of an architecture without images',
      'ppc64le',
      ['iso'],
      'no base image for the architecture "ppc64le"; available: x86_64, aarch64',
    ],
    [
      'of what is no architecture',
      'x'.repeat(500),
      ['iso'],
      `no base image for the architecture "${'x'.repeat(99)}`,
    ],
    ['of a prototype', '__proto__', ['iso'], 'no base image for the architecture "__proto__"'],
    [
      'of a format that there is not',
      'aarch64',
      ['iso'],
      'no accepted image format for aarch64; accepted: "iso"; available: initrd',
    ],
    ['of no format', 'x86_64', [], 'no accepted image format for x86_64; accepted: none'],
    [
      'of formats that nobody knows',
      'x86_64',
      ['uki', 'a', 'b', 'c'],
      'no accepted image format for x86_64; accepted: "uki", "a"; available:',
    ],
  ] as const)('is refused: %s', (_title, architecture, acceptFormats, message) => {
    const spec = { architecture, acceptFormats, networkDataName: undefined };
    const choice = chooseImage({ spec, stream: undefined }, several);
    expect(choice).toMatchObject({ kind: 'failed', reason: 'ConfigurationError', attempt: undefined });
    expect('message' in choice && choice.message).toContain(message);
  });
});

describe('the stream of an object', () => {
  const iso = ['iso'] as const;
  const withDefault = possibleOf([
    ['x86_64', iso],
    ['rhel-10/x86_64', iso],
    ['rhel-10/aarch64', ['initrd']],
  ]);
  const labelled = possibleOf([
    ['rhel-9/x86_64', iso],
    ['rhel-10/x86_64', iso],
  ]);
  const spec = { architecture: 'x86_64', acceptFormats: iso, networkDataName: undefined };

  it.each<[string, PossibleImages, string | undefined, string]>([
    ['its label', withDefault, 'rhel-10', 'rhel-10/x86_64'],
    ['the default without a label', withDefault, undefined, 'x86_64'],
    ['that of the settings without a label', { ...labelled, stream: 'rhel-9' }, undefined, 'rhel-9/x86_64'],
    ['its label, not that of the settings', { ...labelled, stream: 'rhel-9' }, 'rhel-10', 'rhel-10/x86_64'],
    ['the default where no image has a stream', several, 'rhel-9', 'x86_64'],
  ])('is %s', (_title, possible, stream, expected) => {
    const choice = chooseImage({ spec, stream }, possible);
    expect('kind' in choice ? choice.message : imagesName(choice)).toBe(expected);
  });

  it.each<[string, PossibleImages, string, string | undefined, string]>([
    [
      'without images',
      withDefault,
      'x86_64',
      'rhel-9',
      'label coreos.openshift.io/stream: no images of the stream "rhel-9" for x86_64; available: x86_64, rhel-10/x86_64, rhel-10/aarch64 (pass --iso rhel-9/x86_64=FILE, or use another stream)',
    ],
    [
      'without images for the architecture',
      labelled,
      'aarch64',
      'rhel-10',
      'no base image for the architecture "aarch64"; available: rhel-9/x86_64, rhel-10/x86_64',
    ],
    [
      'without a label, where all images have a stream',
      labelled,
      'x86_64',
      undefined,
      'the images for x86_64 are of several streams, and none is selected; available: rhel-9/x86_64, rhel-10/x86_64 (set image.stream to one of them, or pass images without a stream: --iso x86_64=FILE)',
    ],
    [
      'whose images have another format',
      withDefault,
      'aarch64',
      'rhel-10',
      'no accepted image format for rhel-10/aarch64; accepted: "iso"; available: initrd',
    ],
  ])('is refused %s', (_title, possible, architecture, stream, message) => {
    const choice = chooseImage({ spec: { ...spec, architecture }, stream }, possible);
    expect(choice).toEqual({ kind: 'failed', reason: 'ConfigurationError', message, attempt: undefined });
  });
});
