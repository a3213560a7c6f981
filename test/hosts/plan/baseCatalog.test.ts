/** Which base images a host gets: by its architecture and its stream. */

import { describe, expect, it } from 'vitest';
import { chooseImages, type BaseCatalog, type ImagesName } from '../../../src/hosts/plan/baseCatalog.ts';
import { parseImageOption } from '../../../src/hosts/plan/imageInputs.ts';

const catalogOf = (...names: readonly ImagesName[]): BaseCatalog<string> =>
  new Map(names.map((name) => [name, `images of ${name}`]));

const x86 = catalogOf('x86_64');
const both = catalogOf('x86_64', 'aarch64');
const streams = catalogOf('x86_64', 'rhel-10/x86_64', 'rhel-10/aarch64');
const named = catalogOf('rhel-9/x86_64', 'rhel-10/x86_64');

describe('the images of a host', () => {
  it.each<[string, BaseCatalog<string>, Parameters<typeof chooseImages>[0], ImagesName]>([
    ['the only ones', x86, { architecture: undefined, stream: undefined }, 'x86_64'],
    [
      'of the only architecture',
      catalogOf('aarch64'),
      { architecture: undefined, stream: undefined },
      'aarch64',
    ],
    ['of the usual architecture', both, { architecture: undefined, stream: undefined }, 'x86_64'],
    ['of its architecture', both, { architecture: 'aarch64', stream: undefined }, 'aarch64'],
    ['without a stream', streams, { architecture: 'x86_64', stream: undefined }, 'x86_64'],
    ['of its stream', streams, { architecture: 'x86_64', stream: 'rhel-10' }, 'rhel-10/x86_64'],
    [
      'of its stream and the usual architecture',
      streams,
      { architecture: undefined, stream: 'rhel-10' },
      'rhel-10/x86_64',
    ],
    [
      'of the only stream of its architecture',
      streams,
      { architecture: 'aarch64', stream: undefined },
      'rhel-10/aarch64',
    ],
    [
      'of a stream whose only architecture is another',
      catalogOf('x86_64', 'edge/aarch64'),
      { architecture: undefined, stream: 'edge' },
      'edge/aarch64',
    ],
  ])('are those %s', (_title, catalog, wanted, expected) => {
    expect(chooseImages(wanted, catalog)).toMatchObject({ images: `images of ${expected}` });
  });

  it.each<[string, BaseCatalog<string>, Parameters<typeof chooseImages>[0], string, string]>([
    [
      'its architecture has none',
      x86,
      { architecture: 'aarch64', stream: undefined },
      'no images for aarch64; available: x86_64',
      'pass --iso aarch64=FILE, or --kernel, --initramfs and --rootfs',
    ],
    [
      'its stream has none',
      streams,
      { architecture: 'x86_64', stream: 'rhel-9' },
      'no images of the stream "rhel-9" for x86_64; available: x86_64, rhel-10/x86_64, rhel-10/aarch64',
      'pass --iso rhel-9/x86_64=FILE, or use another stream',
    ],
    [
      'its stream has none for its architecture',
      named,
      { architecture: 'aarch64', stream: 'rhel-9' },
      'no images of the stream "rhel-9" for aarch64; available: rhel-9/x86_64, rhel-10/x86_64',
      'pass --iso rhel-9/aarch64=FILE, or use another stream',
    ],
    [
      'no image has a stream',
      x86,
      { architecture: undefined, stream: 'rhel-9' },
      'no images of the stream "rhel-9" for x86_64; available: x86_64',
      'pass --iso rhel-9/x86_64=FILE, or use another stream',
    ],
    [
      'all have a stream, and it names none',
      named,
      { architecture: 'x86_64', stream: undefined },
      'the images for x86_64 are of several streams, and none is selected; available: rhel-9/x86_64, rhel-10/x86_64',
      'set image.stream to one of them, or pass images without a stream: --iso x86_64=FILE',
    ],
    [
      'all are of one architecture and have a stream, and it names neither',
      catalogOf('rhel-9/aarch64', 'rhel-10/aarch64'),
      { architecture: undefined, stream: undefined },
      'the images for aarch64 are of several streams, and none is selected; available: rhel-9/aarch64, rhel-10/aarch64',
      'set image.stream to one of them, or pass images without a stream: --iso aarch64=FILE',
    ],
    [
      'a stream has the name of a property',
      x86,
      { architecture: 'x86_64', stream: '__proto__' },
      'no images of the stream "__proto__" for x86_64; available: x86_64',
      'pass --iso __proto__/x86_64=FILE, or use another stream',
    ],
  ])('are missing if %s', (_title, catalog, wanted, problem, hint) => {
    expect(chooseImages(wanted, catalog)).toEqual({ message: problem, hint });
  });
});

describe('the value of an image option', () => {
  it.each<[string, string | undefined, string | undefined, string]>([
    ['live.iso', undefined, undefined, 'live.iso'],
    ['/images/live.iso', undefined, undefined, '/images/live.iso'],
    ['aarch64=arm.iso', undefined, 'aarch64', 'arm.iso'],
    ['rhel-10/x86_64=el10.iso', 'rhel-10', 'x86_64', 'el10.iso'],
    ['rhel-9.8/aarch64=/images/a=b.iso', 'rhel-9.8', 'aarch64', '/images/a=b.iso'],
    ['My_Stream/s390x=x', 'My_Stream', 's390x', 'x'],
    // Files
    ['rhel-10/riscv64=el10.iso', undefined, undefined, 'rhel-10/riscv64=el10.iso'],
    ['rhel-10=el10.iso', undefined, undefined, 'rhel-10=el10.iso'],
    ['./x86_64=live.iso', undefined, undefined, './x86_64=live.iso'],
    ['/x86_64=live.iso', undefined, undefined, '/x86_64=live.iso'],
    ['-a/x86_64=live.iso', undefined, undefined, '-a/x86_64=live.iso'],
    [`${'a'.repeat(64)}/x86_64=live.iso`, undefined, undefined, `${'a'.repeat(64)}/x86_64=live.iso`],
    ['a/b/x86_64=live.iso', undefined, undefined, 'a/b/x86_64=live.iso'],
  ])('%s', (text, stream, architecture, name) => {
    expect(parseImageOption(text)).toEqual({ stream, architecture, name });
  });
});
