/** What Ignition makes of a config and of those that it inlines; as `RenderConfig` of its engine does. */

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, type Path } from '../../src/core/finding.ts';
import type { Config, Resource } from '../../src/ignition/config.ts';
import { type EffectiveConfig, readEffectiveConfig } from '../../src/ignition/effectiveConfig.ts';
import { mergeConfigs } from '../../src/ignition/merge.ts';
import { normalizeConfig } from '../../src/ignition/normalize.ts';
import { referenceName } from '../../src/hosts/input/checkInlined.ts';

function inlined(config: Config | Buffer, more: Partial<Resource> = {}): Resource {
  const bytes = Buffer.isBuffer(config) ? config : Buffer.from(JSON.stringify(config));
  const data = more.compression === 'gzip' ? gzipSync(bytes) : bytes;
  return { source: `data:;base64,${data.toString('base64')}`, ...more };
}

const file = (path: string, text = ''): Config => ({
  ignition: { version: '3.1.0' },
  storage: { files: [{ path, contents: { source: `data:,${text}` } }] },
});

const merging = (merge: readonly Resource[], rest: Config = {}): Config => ({
  ...rest,
  ignition: { ...rest.ignition, version: '3.4.0', config: { merge } },
});

function resolve(config: Config): EffectiveConfig {
  const read = readEffectiveConfig(Buffer.from(JSON.stringify(config)));
  if (read.status === 'read') return read;
  throw new Error(read.finding.message);
}

const places = ({ inlined: all }: EffectiveConfig): string[] => all.map(({ place }) => referenceName(place));
const issues = ({ issues: all }: EffectiveConfig): string[] =>
  all.map(({ place, issue: { path, rule } }) =>
    [...place.map((steps) => steps.join('.')), rule, formatPath(path)].join(' '),
  );

const gzip = (data: Buffer): string[] =>
  issues(resolve(merging([{ source: `data:;base64,${data.toString('base64')}`, compression: 'gzip' }])));

describe('the effective config', () => {
  it('is the config itself where nothing is inlined', () => {
    const { config, locate } = resolve(file('/a'));
    expect(config).toEqual(file('/a'));
    expect(locate(['storage', 'files', 0, 'path'])).toEqual({
      place: [],
      path: ['storage', 'files', 0, 'path'],
    });
  });

  it('has what is merged, as deep as it goes, each over those before it', () => {
    const deep = merging([inlined(file('/x', 'deep')), inlined(file('/deep'))], file('/x', 'middle'));
    const effective = resolve(merging([inlined(deep, { compression: 'gzip' })], file('/x', 'top')));
    expect(places(effective)).toEqual([
      'ignition.config.merge.0',
      'ignition.config.merge.0 > ignition.config.merge.0',
      'ignition.config.merge.0 > ignition.config.merge.1',
    ]);
    expect(effective.config).toEqual({
      ignition: { version: '3.4.0' },
      storage: {
        files: [
          { path: '/x', contents: { source: 'data:,deep' } },
          { path: '/deep', contents: { source: 'data:,' } },
        ],
      },
    });
    expect(effective.issues).toEqual([]);
  });

  it('is that of the config which takes its place, and nothing else', () => {
    const replaced: Config = {
      ...file('/gone'),
      ignition: {
        version: '3.4.0',
        config: {
          replace: inlined(merging([inlined(file('/b'))], file('/a'))),
          merge: [inlined(file('/c'))],
        },
      },
    };
    const effective = resolve(replaced);
    expect(effective.config.storage?.files?.map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(places(effective)).toEqual([
      'ignition.config.replace',
      'ignition.config.replace > ignition.config.merge.0',
    ]);
    expect(issues(effective)).toEqual(['config-replaced $.ignition.config.replace']);
  });

  it.each(['http', 'https', 's3', 'tftp', 'gs', 'HTTP'])(
    'keeps what is fetched by %s, and says so',
    (scheme) => {
      const remote = { source: `${scheme}://a/b` };
      const child = merging([remote], file('/b'));
      const effective = resolve(merging([remote, inlined(child)], file('/a')));
      expect(effective.config.ignition?.config?.merge).toEqual([remote]);
      expect(effective.config.storage?.files).toHaveLength(2);
      expect(issues(effective)).toEqual([
        'config-remote $.ignition.config.merge.0.source',
        'ignition.config.merge.1 config-remote $.ignition.config.merge.0.source',
      ]);
    },
  );

  it('is not known where a config that is fetched takes its place', () => {
    const replace = { source: 'https://a/b' };
    const { config } = resolve({ ...file('/a'), ignition: { version: '3.4.0', config: { replace } } });
    expect(config).toEqual({ ignition: { version: '3.4.0', config: { replace } } });
  });

  it('compares the hash with what is unpacked', () => {
    const text = Buffer.from(JSON.stringify(file('/a')));
    for (const algorithm of ['sha256', 'sha512']) {
      const sum = createHash(algorithm).update(text).digest('hex');
      const found = [sum, sum.toUpperCase(), '0'.repeat(sum.length)].map((hash) =>
        issues(
          resolve(
            merging([inlined(text, { compression: 'gzip', verification: { hash: `${algorithm}-${hash}` } })]),
          ),
        ),
      );
      const mismatch = ['config-hash-mismatch $.ignition.config.merge.0.verification.hash'];
      expect(found).toEqual([[], mismatch, mismatch]);
    }
  });

  it('reads all gzip members, and refuses what Ignition could not unpack', () => {
    const text = JSON.stringify(file('/a'));
    const members = Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))]);
    expect(gzip(members)).toEqual([]);
    const refused = ['config-undecodable $.ignition.config.merge.0.source'];
    expect(gzip(Buffer.from(text))).toEqual(refused);
    expect(gzip(members.subarray(0, -1))).toEqual(refused);
    expect(gzip(Buffer.concat([members, Buffer.from('x')]))).toEqual(refused);
  });

  it('leaves out what cannot be read, and goes on', () => {
    const broken = inlined(Buffer.from('{'));
    const effective = resolve(merging([broken, inlined(file('/b'))], file('/a')));
    expect(effective.config.storage?.files).toHaveLength(2);
    expect(effective.inlined.map(({ read }) => read.status)).toEqual(['refused', 'read']);
  });

  it('takes the empty source of a replacement for an empty config', () => {
    const {
      inlined: [only],
    } = resolve({ ignition: { version: '3.4.0', config: { replace: { source: '' } } } });
    expect(only?.read).toMatchObject({ status: 'refused', finding: { rule: 'empty' } });
  });
});

describe('bounds', () => {
  it('of the number', () => {
    const effective = resolve(merging(Array.from({ length: 300 }, (_, index) => inlined(file(`/${index}`)))));
    expect(effective.inlined).toHaveLength(256);
    expect(effective.issues).toHaveLength(44);
  });

  it('of the size, however small the compressed data are', () => {
    const bomb = inlined(Buffer.alloc(65 * 1024 * 1024, ' '), { compression: 'gzip' });
    const small = inlined(Buffer.alloc(40 * 1024 * 1024, ' '), { compression: 'gzip' });
    const other = { ...small, source: small.source?.replace(';base64', ';charset=utf-8;base64') ?? '' };
    expect(issues(resolve(merging([bomb])))).toEqual(['config-undecodable $.ignition.config.merge.0.source']);
    expect(issues(resolve(merging([small, other])))).toEqual([
      'config-undecodable $.ignition.config.merge.1.source',
    ]);
  });
});

const unit = (contents: string, more: object = {}): Config => ({
  ignition: { version: '3.4.0' },
  systemd: { units: [{ name: 'a.service', contents, ...more }] },
});

const append = (...texts: string[]): Config => ({
  ignition: { version: '3.4.0' },
  storage: { files: [{ path: '/a', append: texts.map((text) => ({ source: `data:,${text}` })) }] },
});

describe('locate', () => {
  it.each<[string, Config, Path, string]>([
    [
      'a value that one config has',
      file('/p'),
      ['storage', 'files', 1, 'path'],
      'ignition.config.merge.0 $.storage.files.0.path',
    ],
    ['a value that the parent has', file('/p'), ['storage', 'files', 0, 'path'], ' $.storage.files.0.path'],
    [
      'a value that both have',
      file('/top', 'x'),
      ['storage', 'files', 0, 'contents', 'source'],
      'ignition.config.merge.0 $.storage.files.0.contents.source',
    ],
    [
      'a value that nobody has',
      file('/top', 'x'),
      ['storage', 'files', 0, 'mode'],
      ' $.storage.files.0.mode',
    ],
    ['the whole config', file('/p'), [], ' $'],
    [
      'a part that the parent has not',
      unit('[A]'),
      ['systemd', 'units', 0, 'enabled'],
      'ignition.config.merge.0 $.systemd.units.0.enabled',
    ],
  ])('finds %s', (_title, child, path, expected) => {
    const effective = resolve(merging([inlined(child)], file('/top')));
    const found = effective.locate(path);
    expect(`${referenceName(found.place)} ${formatPath(found.path)}`).toBe(expected);
  });

  it('finds drop-ins beside the unit, and lists that are joined', () => {
    const dropin = { dropins: [{ name: 'x.conf', contents: '[B]' }] };
    const effective = resolve(
      merging([inlined(unit('[A]', dropin)), inlined(append('2', '3'))], { ...unit('[A]'), ...append('1') }),
    );
    const find = (path: Path): string => {
      const found = effective.locate(path);
      return `${referenceName(found.place)} ${formatPath(found.path)}`;
    };
    expect(effective.config.storage?.files?.[0]?.append).toHaveLength(3);
    expect(find(['systemd', 'units', 0, 'dropins', 0, 'contents'])).toBe(
      'ignition.config.merge.0 $.systemd.units.0.dropins.0.contents',
    );
    expect(find(['systemd', 'units', 0, 'name'])).toBe('ignition.config.merge.0 $.systemd.units.0.name');
    expect(find(['storage', 'files', 0, 'append', 0, 'source'])).toBe(' $.storage.files.0.append.0.source');
    expect(find(['storage', 'files', 0, 'append', 2])).toBe(
      'ignition.config.merge.1 $.storage.files.0.append.1',
    );
  });
});

/** Configs with few paths and names, so that they meet. */
const anyConfigs = fc.record(
  {
    ignition: fc.constant({ version: '3.4.0' as const }),
    storage: fc.record({
      files: fc.uniqueArray(
        fc.record(
          {
            path: fc.constantFrom('/a', '/b', '/c'),
            mode: fc.nat(0o777),
            append: fc.array(fc.record({ source: fc.constantFrom('data:,1', 'data:,2') }), { maxLength: 2 }),
          },
          { requiredKeys: ['path'] },
        ),
        { selector: ({ path }) => path },
      ),
      links: fc.uniqueArray(fc.record({ path: fc.constantFrom('/b', '/d'), target: fc.constant('/x') }), {
        selector: ({ path }) => path,
      }),
    }),
    systemd: fc.record({
      units: fc.uniqueArray(
        fc.record(
          { name: fc.constantFrom('a.service', 'b.service'), enabled: fc.boolean(), contents: fc.string() },
          { requiredKeys: ['name'] },
        ),
        { selector: ({ name }) => name },
      ),
    }),
  },
  { requiredKeys: ['ignition'] },
);

/** Ignition refuses two nodes with one path. */
const configs = anyConfigs.filter(({ storage = { files: [], links: [] } }) => {
  const taken = new Set(storage.files.map(({ path }): string => path));
  return !storage.links.some(({ path }) => taken.has(path));
});

it('is what merging one after the other gives, and every value is at the place that is named', () => {
  fc.assert(
    fc.property(configs, fc.array(configs, { maxLength: 4 }), (parent, children) => {
      const merge = children.map((child, index) => {
        const { source = '' } = inlined(child);
        return { source: source.replace('data:', `data:text/plain;charset=${index}`) }; // none is the same as another
      });
      const effective = resolve(merging(merge, parent));
      const expected = children.reduce<Config>(
        (merged, child) => mergeConfigs(merged, child, '3.7.0-experimental'),
        parent,
      );
      const version = '3.7.0-experimental';
      expect(normalizeConfig(effective.config, version)).toEqual(normalizeConfig(expected, version));
      const documents = new Map<string, unknown>(
        effective.inlined.map(({ document, place }) => [
          referenceName(place),
          JSON.parse(document.toString()),
        ]),
      );
      for (const [path, value] of leaves(effective.config)) {
        if (path[0] === 'ignition') continue;
        const found = effective.locate(path);
        const document = found.place.length === 0 ? parent : documents.get(referenceName(found.place));
        expect(valueAt(document, found.path)).toEqual(value);
      }
    }),
  );
});

function* leaves(value: unknown, path: Path = []): Iterable<readonly [Path, unknown]> {
  if (typeof value !== 'object' || value === null) {
    yield [path, value];
    return;
  }
  const members: [string, unknown][] = Object.entries(value);
  for (const [key, inner] of members)
    yield* leaves(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
}
