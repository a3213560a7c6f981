import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../support/brokenRules.ts';

const device = '/dev/a';

describe('filesystems', () => {
  it.each([
    ['a device alone', {}, []],
    ['an empty path', { path: '' }, []],
    ['a path', { path: '/var', format: 'xfs' }, []],
    ['a relative path', { path: 'var', format: 'xfs' }, ['path-relative at path']],
    ['a path without format', { path: '/var' }, ['filesystem-format-required at format']],
    ['a uuid without format', { uuid: 'x', format: '' }, ['filesystem-format-required at format']],
    ['options without format', { options: ['x'] }, ['filesystem-format-required at format']],
    ['mount options without format', { mountOptions: ['x'] }, ['filesystem-format-required at format']],
    ['wiping without format', { wipeFilesystem: true }, ['filesystem-format-required at format']],
    ['no wiping, without format', { wipeFilesystem: false, options: [] }, []],
    [
      'a label without format',
      { label: 'x' },
      ['filesystem-format-required at format', 'filesystem-label-needs-format at label'],
    ],
    ['another format', { format: 'ext3', label: 'x'.repeat(999) }, ['filesystem-format-invalid at format']],
    ['the name of a method as format', { format: 'constructor' }, ['filesystem-format-invalid at format']],
  ])('with %s', (_title, filesystem, rules) => {
    expect(brokenRules('Filesystem', { device, ...filesystem })).toEqual(rules);
  });

  it.each([
    ['ext4', 16],
    ['btrfs', 256],
    ['xfs', 12],
    ['swap', 15],
    ['vfat', 11],
  ])('of %s have a label of up to %d bytes', (format, max) => {
    expect(brokenRules('Filesystem', { device, format, label: 'x'.repeat(max) })).toEqual([]);
    for (const label of ['x'.repeat(max + 1), 'é'.repeat(max / 2 + 1)]) {
      expect(brokenRules('Filesystem', { device, format, label })).toEqual([
        `${format}-label-too-long at label`,
      ]);
    }
  });

  it('need a device', () => {
    expect(brokenRules('Filesystem', {})).toEqual(['path-missing at device']);
    expect(brokenRules('Filesystem', { device: 'sda1' })).toEqual(['path-relative at device']);
  });

  it.each([
    ['none', '3.2.0', false],
    ['none', '3.3.0', true],
    ['virtiofs', '3.6.0', false],
    ['virtiofs', '3.7.0-experimental', true],
    ['ext3', '3.7.0-experimental', false],
  ] as const)('of %s in %s: %s', (format, version, isKnown) => {
    expect(brokenRules('Filesystem', { device, format }, version)).toEqual(
      isKnown ? [] : ['filesystem-format-invalid at format'],
    );
  });

  it.each([
    ['a tag of 36 bytes', { device: 'x'.repeat(36), path: '/mnt', mountOptions: ['ro'] }, []],
    ['no tag', {}, ['virtiofs-tag-required at device']],
    ['a tag of 36 bytes that are not ASCII', { device: 'é'.repeat(18) }, []],
    ['a tag of 37 bytes', { device: 'x'.repeat(37) }, ['virtiofs-tag-too-long at device']],
    ['a tag of 19 characters and 38 bytes', { device: 'é'.repeat(19) }, ['virtiofs-tag-too-long at device']],
    [
      'everything that it cannot have',
      { device: '/a', path: 'm', label: 'l', uuid: 'u', wipeFilesystem: true, options: ['o'] },
      [
        'path-relative at path',
        'virtiofs-label at label',
        'virtiofs-uuid at uuid',
        'virtiofs-wipe at wipeFilesystem',
        'virtiofs-options at options',
      ],
    ],
  ])('that the host shares: with %s', (_title, filesystem, rules) => {
    const share = { format: 'virtiofs', ...filesystem };
    expect(brokenRules('Filesystem', share, '3.7.0-experimental')).toEqual(rules);
  });
});
