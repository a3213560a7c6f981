import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../support/brokenRules.ts';

const link = { path: '/a', target: '/t' };

describe('paths below links', () => {
  it.each([
    ['a file below', { files: [{ path: '/a/b' }], links: [link] }, ['file-below-link at files.0']],
    ['a file far below', { files: [{ path: '/a/b/c' }], links: [link] }, ['file-below-link at files.0']],
    ['a file at the link', { files: [{ path: '/a' }], links: [link] }, []],
    ['a longer name', { files: [{ path: '/ab' }], links: [link] }, []],
    [
      'two links above',
      { directories: [{ path: '/a/b/c' }], links: [link, { path: '/a/b', target: '/t' }] },
      [
        'directory-below-link at directories.0',
        'directory-below-link at directories.0',
        'link-below-link at links.1',
      ],
    ],
    [
      'the same link twice',
      { files: [{ path: '/a/b' }], links: [link, link] },
      ['file-below-link at files.0', 'file-below-link at files.0'],
    ],
    [
      'a link without a path',
      { files: [{ path: '/x' }, { path: 'x' }, {}], links: [{ target: '/t' }] },
      ['file-below-link at files.0'],
    ],
    [
      'a link with a slash at its end',
      { files: [{ path: '/a/b' }, { path: '/a//b' }], links: [{ path: '/a/', target: '/t' }] },
      ['file-below-link at files.1'],
    ],
  ])('%s', (_title, storage, rules) => {
    expect(brokenRules('Storage', storage)).toEqual(rules);
  });

  it('are found among thousands without comparing each with each', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `/top/${index}`);
    const links = names.map((path) => ({ path, target: '/t' }));
    const files = names.map((path) => ({ path: `${path}/below/it` }));
    expect(brokenRules('Storage', { files, links })).toHaveLength(files.length);
  });
});

describe('links', () => {
  it('need a target since 3.3.0', () => {
    const storage = { links: [{ path: '/a' }, { path: '/b', target: '', hard: true, user: { id: 0 } }] };
    expect(brokenRules('Storage', storage, '3.3.0')).toEqual([
      'link-target-required at links.0.target',
      'link-target-required at links.1.target',
    ]);
    expect(brokenRules('Storage', storage, '3.2.0')).toEqual(['hard-link-owner at links.1.user.id']);
  });

  it.each([
    ['an absolute target', { target: '/d' }, true],
    ['a target that is not simplified', { target: '/x/../d/' }, true],
    ['a target beside the link', { target: '../d' }, true],
    ['a target below the link', { target: 'd' }, false],
    ['a symbolic link', { target: '/d', hard: false }, false],
  ])('that are hard must not lead to a directory: %s', (_title, part, isBroken) => {
    const storage = { directories: [{ path: '/d' }], links: [{ path: '/l', hard: true, ...part }] };
    expect(brokenRules('Storage', storage)).toEqual(isBroken ? ['hard-link-to-directory at links.0'] : []);
  });

  it('that are hard must not lead to a directory, not even without a path', () => {
    const storage = { directories: [{ path: 'd' }, {}], links: [{ hard: true, target: 'd' }] };
    expect(brokenRules('Storage', storage)).toEqual(['hard-link-to-directory at links.0']);
    const empty = { directories: [{}], links: [{ hard: true, target: '' }] };
    expect(brokenRules('Storage', empty, '3.2.0')).toEqual(['hard-link-to-directory at links.0']);
  });

  it('that are hard have no owner', () => {
    const owned = { path: '/l', target: '/t', user: { id: 0, name: '' }, group: { id: 0, name: '' } };
    expect(brokenRules('Storage', { links: [{ ...owned, hard: true }] })).toEqual(
      ['user.id', 'user.name', 'group.id', 'group.name'].map(
        (field) => `hard-link-owner at links.0.${field}`,
      ),
    );
    expect(brokenRules('Storage', { links: [owned] })).toEqual([]);
  });
});

describe('filesystems on disks', () => {
  const partitioned = { device: '/dev/a', partitions: [{ number: 1 }], wipeTable: true };
  const wiped = { device: '/dev/a', wipeTable: true };

  it.each([
    ['a partitioned disk', [partitioned], {}, ['filesystem-over-partitions at filesystems.0.device']],
    ['a wiped disk', [wiped], {}, ['filesystem-implicit-wipe at filesystems.0.device']],
    ['a wiped disk, on purpose', [wiped], { wipeFilesystem: true }, []],
    ['a disk that is left alone', [{ device: '/dev/a' }], {}, []],
    ['another disk', [{ ...wiped, device: '/dev/b' }], {}, []],
    ['a disk whose last entry counts', [partitioned, { device: '/dev/a' }], {}, []],
    [
      'no device, as on the disk',
      [{ partitions: [{ number: 1 }] }],
      { device: undefined },
      ['filesystem-over-partitions at filesystems.0.device'],
    ],
  ])('%s', (_title, disks, part, rules) => {
    expect(brokenRules('Storage', { disks, filesystems: [{ device: '/dev/a', ...part }] })).toEqual(rules);
  });
});
