import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../support/brokenRules.ts';

const unit = {
  name: 'a.service',
  contents: '[Unit]',
  dropins: [{ name: 'b.conf', contents: '[Unit]' }, { name: 'empty.conf' }],
};

describe('paths of units', () => {
  it.each([
    ['a unit', '/etc/systemd/system/a.service', true],
    ['a drop-in', '/etc/systemd/system/a.service.d/b.conf', true],
    ['a drop-in without contents', '/etc/systemd/system/a.service.d/empty.conf', false],
    ['another spelling', '/etc/systemd/system//a.service', false],
    ['another unit', '/etc/systemd/system/b.service', false],
  ])('%s', (_title, path, conflicts) => {
    const config = { storage: { files: [{ path }] }, systemd: { units: [unit] } };
    expect(brokenRules('Config', config)).toEqual(
      conflicts ? ['path-conflicts-unit at storage.files.0.path'] : [],
    );
  });

  it('are compared with files, directories and links in this order', () => {
    const nodes = [{}, { path: '/etc/systemd/system/a.service' }];
    const storage = { directories: nodes, files: nodes, links: nodes };
    expect(brokenRules('Config', { storage, systemd: { units: [unit] } })).toEqual([
      'path-conflicts-unit at storage.files.1.path',
      'path-conflicts-unit at storage.directories.1.path',
      'path-conflicts-unit at storage.links.1.path',
    ]);
  });

  it.each([
    [{ contents: '[Unit]' }, '/etc/systemd/system/'],
    [{ name: 'a.service', dropins: [{ contents: '[Unit]' }] }, '/etc/systemd/system/a.service.d/'],
  ])('conflict even if a name is missing: %j', (nameless, path) => {
    const config = { storage: { files: [{ path }] }, systemd: { units: [{ name: 'b.service' }, nameless] } };
    expect(brokenRules('Config', config)).toEqual(['path-conflicts-unit at storage.files.0.path']);
  });

  it.each([[{ name: 'a.service', mask: true }], [{ name: 'a.service', contents: '' }]])(
    'do not conflict for %j',
    (empty) => {
      const storage = { files: [{ path: '/etc/systemd/system/a.service' }] };
      expect(brokenRules('Config', { storage, systemd: { units: [empty] } })).toEqual([]);
    },
  );
});
