/** Which image an object gets, from what there is. */

import { describe, expect, it } from 'vitest';
import { chooseImage, type PossibleImages } from '../../../src/controller/api/imageChoice.ts';

const both: PossibleImages = new Map([['x86_64', ['iso', 'initrd']]]);
const several: PossibleImages = new Map([
  ['x86_64', ['iso', 'initrd']],
  ['aarch64', ['initrd']],
]);

describe('the image of an object', () => {
  const only: PossibleImages = new Map([['aarch64', ['iso']]]);

  it.each([
    ['the first format', ['x86_64', 'iso', 'initrd'], both, 'x86_64 iso'],
    ['the first format, in the order of the operator', ['x86_64', 'initrd', 'iso'], both, 'x86_64 initrd'],
    ['the first that there is', ['aarch64', 'iso', 'initrd'], several, 'aarch64 initrd'],
    ['past formats that nobody knows', ['x86_64', 'uki', 'iso'], both, 'x86_64 iso'],
    ['of the only architecture', [undefined, 'iso'], only, 'aarch64 iso'],
    ['of the usual architecture', [undefined, 'iso'], several, 'x86_64 iso'],
  ])('is %s', (_title, [architecture, ...formats], possible, expected) => {
    const acceptFormats = formats.flatMap((format) => format ?? []);
    const choice = chooseImage({ architecture, acceptFormats, networkDataName: undefined }, possible);
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
      `no base image for the architecture "${'x'.repeat(40)}"`,
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
    const choice = chooseImage({ architecture, acceptFormats, networkDataName: undefined }, several);
    expect(choice).toMatchObject({ kind: 'failed', reason: 'ConfigurationError', attempt: undefined });
    expect('message' in choice && choice.message).toContain(message);
  });
});
