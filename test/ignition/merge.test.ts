import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIgnition } from '../../src/ignition/ignitionText.ts';
import { mergeConfigs } from '../../src/ignition/merge.ts';
import { normalizeConfig } from '../../src/ignition/normalize.ts';
import { translateConfig } from '../../src/ignition/translate.ts';
import type { SpecVersion } from '../../src/ignition/versions.ts';
import { decodeConfig, randomConfigs, withoutEmpty } from '../support/randomConfigs.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

type Json = Record<string, unknown>;

const documentOf = (config: Json, version: SpecVersion) =>
  JSON.stringify({ ...config, ignition: { ...Object(config['ignition']), version } });

/** What two configs of one version give, as a document. */
function merge(version: SpecVersion, parent: Json, child: Json): unknown {
  const [from, to] = [parent, child].map((config) => decodeConfig(documentOf(config, version)));
  return JSON.parse(formatIgnition(mergeConfigs(from ?? {}, to ?? {}, version)));
}

const file = (...files: Json[]) => ({ storage: { files: files.map((one) => ({ path: '/f', ...one })) } });
const link = (...links: Json[]) => ({ storage: { links: links.map((one) => ({ path: '/f', ...one })) } });
const source = (...headers: Json[]) => file({ contents: { source: 'http://h', httpHeaders: headers } });
const luks = (clevis: unknown) => ({ storage: { luks: [{ name: 'l', device: '/dev/x', clevis }] } });
const partitions = (...list: Json[]) => ({ storage: { disks: [{ device: '/dev/x', partitions: list }] } });

describe('mergeConfigs', () => {
  it.each<[string, SpecVersion, Json, Json, Json]>([
    [
      'an optional scalar of the child wins',
      '3.4.0',
      file({ mode: 1 }),
      file({ mode: 2 }),
      file({ mode: 2 }),
    ],
    ['one that is left out does not', '3.4.0', file({ mode: 1 }), file({}), file({ mode: 1 })],
    ['nor null', '3.4.0', file({ mode: 1 }), file({ mode: null }), file({ mode: 1 })],
    [
      'an empty one does',
      '3.4.0',
      file({ contents: { source: 'data:,x', compression: 'gzip' } }),
      file({ contents: { compression: '' } }),
      file({ contents: { compression: '', source: 'data:,x' } }),
    ],
    [
      'so does false',
      '3.4.0',
      link({ target: '/t', hard: true }),
      link({ hard: false }),
      link({ hard: false, target: '/t' }),
    ],
    [
      'objects merge member by member',
      '3.4.0',
      file({ contents: { source: 'data:,x', verification: { hash: 'a' } }, user: { id: 1 } }),
      file({ contents: { source: 'data:,y' }, group: { id: 2 } }),
      file({
        contents: { source: 'data:,y', verification: { hash: 'a' } },
        group: { id: 2 },
        user: { id: 1 },
      }),
    ],
    [
      'a plain scalar is replaced even if it is left out',
      '3.0.0',
      link({ target: '/t' }),
      link({ hard: true }),
      link({ hard: true, target: '' }),
    ],
    [
      'unless nothing is said that Go embeds together with it',
      '3.0.0',
      link({ target: '/t' }),
      link({ overwrite: true }),
      link({ overwrite: true, target: '/t' }),
    ],
    [
      'a nullable object merges member by member, even if the value is empty',
      '3.2.0',
      luks({ custom: { pin: 'sss', config: 'x', needsNetwork: true } }),
      luks({ custom: {} }),
      luks({ custom: { config: '', needsNetwork: true, pin: '' } }),
    ],
    [
      'an empty object that is not nullable changes nothing',
      '3.3.0',
      luks({ custom: { pin: 'sss', config: 'x' } }),
      luks({ custom: {} }),
      luks({ custom: { config: 'x', pin: 'sss' } }),
    ],
    [
      'lists without keys are appended',
      '3.4.0',
      file({ append: [{ source: 'data:,a' }] }),
      file({ append: [{ source: 'data:,a' }, { source: 'data:,b' }] }),
      file({ append: [{ source: 'data:,a' }, { source: 'data:,a' }, { source: 'data:,b' }] }),
    ],
    [
      "keyed lists keep the parent's order; new items follow in the child's",
      '3.4.0',
      { passwd: { users: [{ name: 'a' }, { name: 'b', uid: 1 }] } },
      { passwd: { users: [{ name: 'd' }, { name: 'b', uid: 2 }, { name: 'c' }] } },
      { passwd: { users: [{ name: 'a' }, { name: 'b', uid: 2 }, { name: 'd' }, { name: 'c' }] } },
    ],
    [
      'strings are their own keys',
      '3.1.0',
      { ignition: { proxy: { noProxy: ['x', 'y'] } } },
      { ignition: { proxy: { noProxy: ['z', 'x'] } } },
      { ignition: { proxy: { noProxy: ['x', 'y', 'z'] } } },
    ],
    [
      'files, directories and links share their keys',
      '3.4.0',
      { storage: { directories: [{ path: '/d' }], links: [{ path: '/a', target: '/t' }, { path: '/b' }] } },
      { storage: { files: [{ path: '/a', mode: 1 }], links: [{ path: '/d', target: '/t' }] } },
      {
        storage: {
          files: [{ path: '/a', mode: 1 }],
          links: [{ path: '/b' }, { path: '/d', target: '/t' }],
        },
      },
    ],
    [
      'a kernel argument moves to the other list',
      '3.3.0',
      { kernelArguments: { shouldExist: ['a', 'b'], shouldNotExist: ['c'] } },
      { kernelArguments: { shouldExist: ['c'], shouldNotExist: ['a'] } },
      { kernelArguments: { shouldExist: ['b', 'c'], shouldNotExist: ['a'] } },
    ],
    [
      'partitions pair by number, and by label if neither has one',
      '3.4.0',
      partitions({ number: 1, label: 'a' }, { label: 'b' }),
      partitions({ label: 'b', sizeMiB: 5 }, { number: 1, sizeMiB: 6 }, { label: 'a' }),
      partitions({ label: 'a', number: 1, sizeMiB: 6 }, { label: 'b', sizeMiB: 5 }, { label: 'a' }),
    ],
    [
      "a header without a value deletes the parent's",
      '3.1.0',
      source({ name: 'a', value: '1' }, { name: 'b', value: '2' }),
      source({ name: 'a' }, { name: 'b', value: '' }),
      source({ name: 'b', value: '' }),
    ],
    [
      'and stays if the parent has none',
      '3.1.0',
      source({ name: 'a', value: '1' }),
      source({ name: 'A', value: null }),
      source({ name: 'a', value: '1' }, { name: 'A' }),
    ],
    [
      'a list of nothing is no list',
      '3.1.0',
      source({ name: 'a', value: '1' }),
      source({ name: 'a' }),
      file({ contents: { source: 'http://h' } }),
    ],
    [
      'references to other configs are merged like any list',
      '3.1.0',
      { ignition: { config: { merge: [{ source: 'http://a' }] } } },
      { ignition: { config: { merge: [{ source: 'http://b' }], replace: { source: 'http://c' } } } },
      {
        ignition: {
          config: {
            merge: [{ source: 'http://a' }, { source: 'http://b' }],
            replace: { source: 'http://c' },
          },
        },
      },
    ],
  ])('%s (%s)', (...[, version, parent, child, expected]) => {
    expect(merge(version, parent, child)).toEqual(JSON.parse(documentOf(expected, version)));
  });

  it('keeps all digits of integers', () => {
    const parent = decodeConfig(
      '{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"a","uid":9223372036854775807}]}}',
    );
    const merged = mergeConfigs(parent, { ignition: { version: '3.4.0' } }, '3.4.0');
    expect(formatIgnition(merged)).toContain('"uid":9223372036854775807}');
  });

  it('a config and an empty one give the config, whichever comes first', () => {
    fc.assert(
      fc.property(randomConfigs(), ({ config, version }) => {
        const empty = { ignition: { version } };
        const expected = normalizeConfig(config, version);
        expect(mergeConfigs(empty, config, version)).toEqual(expected);
        expect(mergeConfigs(config, empty, version)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it.skipIf(sharedData === undefined)(`gives what Ignition gives${sharedDataNote}`, () => {
    const path = join(sharedData ?? '', 'ignition-merge-cases.jsonl');
    const cases: MergeCase[] = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(cases.length).toBeGreaterThan(100);
    for (const { id, parent, child, result } of cases) {
      const { version } = result.ignition;
      const [from, to] = [parent, child].map((config) => {
        const own = config.ignition.version;
        const translation = translateConfig(decodeConfig(JSON.stringify(config)), { from: own, to: version });
        if (translation.status === 'refused') throw new Error(id);
        return translation.config;
      });
      const merged: unknown = JSON.parse(formatIgnition(mergeConfigs(from ?? {}, to ?? {}, version)));
      expect({ id, merged: withoutEmpty(merged) }).toEqual({ id, merged: withoutEmpty(result) });
    }
  });
});

interface Versioned {
  readonly ignition: { readonly version: SpecVersion };
}

interface MergeCase {
  readonly id: string;
  readonly parent: Versioned;
  readonly child: Versioned;
  readonly result: Versioned;
}

describe('normalizeConfig', () => {
  it.each<[string, SpecVersion, string, string]>([
    ['empty objects and lists go', '3.4.0', '"passwd":{"users":[]},"storage":{}', ''],
    [
      'also inside of items, which stay',
      '3.4.0',
      '"storage":{"files":[{"path":"/a","append":[{"verification":{}}],"contents":{}}]}',
      '"storage":{"files":[{"path":"/a","append":[{}]}]}',
    ],
    [
      'an empty value that differs from null stays',
      '3.4.0',
      '"storage":{"files":[{"path":"/a","contents":{"compression":"","source":""}}]}',
      '"storage":{"files":[{"path":"/a","contents":{"compression":"","source":""}}]}',
    ],
    [
      'one that does not goes',
      '3.4.0',
      '"storage":{"disks":[{"device":"/d","partitions":[{"number":0}]}]}',
      '"storage":{"disks":[{"device":"/d","partitions":[{}]}]}',
    ],
    [
      'what Go always prints is there',
      '3.0.0',
      '"storage":{"raid":[{}]}',
      '"storage":{"raid":[{"level":"","name":""}]}',
    ],
    [
      'an empty object stays where null is something else',
      '3.2.0',
      '"storage":{"luks":[{"name":"a","clevis":{}}]}',
      '"storage":{"luks":[{"clevis":{},"name":"a"}]}',
    ],
  ])('%s (%s)', (_title, version, members, expected) => {
    const document = (rest: string) =>
      `{"ignition":{"version":"${version}"}${rest === '' ? '' : `,${rest}`}}`;
    const normalized = normalizeConfig(decodeConfig(document(members)), version);
    expect(formatIgnition(normalized)).toBe(`${document(expected)}\n`);
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(randomConfigs(), ({ config, version }) => {
        const once = normalizeConfig(config, version);
        expect(normalizeConfig(once, version)).toEqual(once);
      }),
    );
  });
});
