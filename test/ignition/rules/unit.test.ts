import { describe, expect, it } from 'vitest';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

const install = '[Install]\nWantedBy=multi-user.target\n';

describe('units', () => {
  it.each('service socket device mount automount swap target path timer snapshot slice scope'.split(' '))(
    'may be called a.%s',
    (extension) => {
      expect(brokenRules('Unit', { name: `a.${extension}` })).toEqual([]);
    },
  );

  it.each(['', 'a', 'a.Service', 'a.service/', 'a.service.d', 'a.service ', 'a.container'])(
    'may not be called %j',
    (name) => {
      expect(brokenRules('Unit', { name })).toEqual(['unit-extension at name']);
    },
  );

  it.each([
    ['no contents', undefined, []],
    ['empty contents', '', []],
    ['text without sections', 'x', ['unit-no-install at contents']],
    ['an install section', install, []],
    ['an install section without options', '[Install]\n', ['unit-no-install at contents']],
    ['another spelling', '[ Install]\nA=b', ['unit-no-install at contents']],
    ['contents that cannot be read', '[Install', ['unit-syntax at contents']],
  ])('that are enabled, with %s', (_title, contents, rules) => {
    const unit = { name: 'a.service', ...(contents === undefined ? {} : { contents }) };
    expect(brokenRules('Unit', { ...unit, enabled: true })).toEqual(rules);
    expect(brokenRules('Unit', unit)).toEqual(rules.filter((rule) => rule.startsWith('unit-syntax')));
  });

  it('are named as Go quotes them', () => {
    const [issue] = issuesOf('Unit', { name: 'a\n"é.service', contents: '[S]\n', enabled: true });
    expect(issue?.message).toBe(
      String.raw`unit "a\n\"é.service" is enabled, but has no install section so enable does nothing`,
    );
  });

  it('say why they cannot be read', () => {
    const [issue] = issuesOf('Unit', { name: 'a.service', contents: '[S] x' });
    expect(issue?.message).toBe('invalid unit content: found garbage after section name : "x"');
  });

  it.each([
    [undefined, /^use a name/],
    ['', /^use a name/],
    ['a b', 'write "a b.service"'],
    ['a.container', /^add it to storage\.files as \/etc\/containers\/systemd\/a\.container/],
  ])('that are called %j: what to do is %j', (name, hint) => {
    expect(issuesOf('Unit', name === undefined ? {} : { name })[0]?.hint ?? '').toMatch(hint);
  });

  it.each([
    ['a bracket that is not closed', '[S', 'add a closing bracket after the name of the section'],
    ['text behind a section', '[S] x', 'move the text after the section header to a new line'],
    [
      'a long line',
      `[S]\nA=${'b'.repeat(2048)}`,
      'end the line with a backslash and continue on the next line',
    ],
    ['a line without =', '[S]\nA', 'write NAME=VALUE on every line of a section, and # in front of comments'],
  ])('with %s: what to do', (_title, contents, hint) => {
    expect(issuesOf('Unit', { name: 'a.service', contents }).map((issue) => issue.hint)).toEqual([hint]);
  });

  it('have a message even without a name', () => {
    const messages = issuesOf('Unit', { contents: '[S]\nA=b', enabled: true }).map((issue) => issue.message);
    expect(messages).toContain('unit "" is enabled, but has no install section so enable does nothing');
  });
});

describe('drop-ins', () => {
  it.each([
    [{ name: 'a.conf' }, []],
    [{ name: '.conf', contents: '[S]\nA=b' }, []],
    [{}, ['dropin-extension at name']],
    [{ name: 'a.service', contents: '[S' }, ['unit-syntax at contents', 'dropin-extension at name']],
  ])('%j breaks %j', (dropin, rules) => {
    expect(brokenRules('Dropin', dropin)).toEqual(rules);
  });
});

it.each([
  ['a', 'write "a.conf"'],
  ['', /^use a name/],
])('a drop-in called %j: what to do is %j', (name, hint) => {
  expect(issuesOf('Dropin', { name })[0]?.hint ?? '').toMatch(hint);
});

describe('instances of a template', () => {
  const template = { name: 'a@.service', contents: '[Service]\nType=simple\n' };
  const instance = { name: 'a@b.service', enabled: true };
  const broken = ['unit-template-no-install at units.1.contents'];

  it.each([
    ['a template without install section', [template, instance], broken],
    ['an instance that is not enabled', [template, { ...instance, enabled: false }], []],
    ['a template that can be installed', [{ ...template, contents: install }, instance], []],
    ['a template without contents', [{ name: 'a@.service' }, instance], []],
    ['a template that cannot be read', [{ ...template, contents: '[S' }, instance], []],
    ['no template', [{ ...template, name: 'b@.service' }, instance], []],
    ['the last template of that name', [template, instance, { ...template, contents: install }], []],
    ['several at signs', [template, { ...instance, name: 'a@b@c.service' }], broken],
    [
      'an at sign in front',
      [
        { ...template, name: '@@.service' },
        { ...instance, name: '@@b.service' },
      ],
      broken,
    ],
    ['no instance name', [template, { ...instance, name: 'a@.service' }], []],
    ['the template itself', [{ ...template, enabled: true }], []],
    [
      'a longer name',
      [
        { ...template, name: 'name@.service' },
        { ...instance, name: 'name@b.service' },
      ],
      broken,
    ],
    [
      'no at sign',
      [
        { ...template, name: '.service' },
        { ...instance, name: 'a.service' },
      ],
      [],
    ],
    ['a line feed in the name', [template, { ...instance, name: 'a@b\n.service' }], []],
    ['another extension', [template, { ...instance, name: 'a@bcd.timer' }], []],
  ])('%s', (_title, units, rules) => {
    expect(brokenRules('Systemd', { units })).toEqual(rules);
  });

  it('are named together with the template', () => {
    const [issue] = issuesOf('Systemd', { units: [template, instance] });
    expect(issue?.message).toBe(`template unit "a@.service" for "a@b.service" doesn't have Install section`);
  });

  it('do not make the template be read again each time', () => {
    const contents = `[S]\n${'A=b\n'.repeat(20_000)}`;
    const instances = Array.from({ length: 20_000 }, (_, index) => ({
      name: `a@${index}.service`,
      enabled: true,
    }));
    expect(brokenRules('Systemd', { units: [{ ...template, contents }, ...instances] })).toHaveLength(20_000);
  });
});

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
