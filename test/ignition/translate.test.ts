import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/ignition/config.ts';
import { formatIgnition } from '../../src/ignition/ignitionText.ts';
import { normalizeConfig } from '../../src/ignition/normalize.ts';
import { translateConfig, type Translation, translationRules } from '../../src/ignition/translate.ts';
import { validateConfig } from '../../src/ignition/validate.ts';
import { isSince, type SpecVersion, specVersions } from '../../src/ignition/versions.ts';
import { decodeConfig, randomConfigs, withoutEmpty } from '../support/randomConfigs.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

type Json = Record<string, unknown>;

const documentOf = (config: Json, version: SpecVersion) =>
  JSON.stringify({ ...config, ignition: { ...Object(config['ignition']), version } });

function translate(config: Json, from: SpecVersion, to: SpecVersion): Translation {
  return translateConfig(decodeConfig(documentOf(config, from)), { from, to });
}

/** Of a translation that worked, as a document. */
function translated(config: Json, from: SpecVersion, to: SpecVersion): unknown {
  const translation = translate(config, from, to);
  if (translation.status === 'refused') throw new Error(JSON.stringify(translation.findings));
  return JSON.parse(formatIgnition(translation.config));
}

const reported = ({ findings }: Translation) =>
  findings.map(({ severity, rule, path }) => `${severity} ${rule} ${path.join('.')}`);

const file = (members: Json) => ({ storage: { files: [{ path: '/f', ...members }] } });
const contents = (members: Json) => file({ contents: members });
const links = (members: Json) => ({ storage: { links: [{ path: '/f', ...members }] } });
const luks = (members: Json) => ({ storage: { luks: [{ name: 'l', device: '/dev/x', ...members }] } });
const filesystem = (members: Json) => ({
  storage: { filesystems: [{ device: '/dev/x', format: 'xfs', ...members }] },
});
const raid = (members: Json) => ({ storage: { raid: [{ name: 'r', devices: ['/dev/x'], ...members }] } });
const user = (members: Json) => ({ passwd: { users: [{ name: 'u', ...members }] } });
const tang = (members: Json) => ({ clevis: { tang: [{ thumbprint: 't', url: 'http://t', ...members }] } });
const custom = (members: Json) => ({ clevis: { custom: members } });
const authority = (members: Json) => ({
  ignition: { security: { tls: { certificateAuthorities: [{ source: 'data:,x', ...members }] } } },
});
const arn = 'arn:aws:s3:::bucket/key';
const sha256 = `sha256-${'0'.repeat(64)}`;
const isErrorLine = (line: string) => line.startsWith('error');

describe('translateConfig, upwards', () => {
  it.each<[string, SpecVersion, SpecVersion, Json, Json]>([
    [
      'a source becomes a set one',
      '3.0.0',
      '3.1.0',
      authority({ source: undefined }),
      authority({ source: '' }),
    ],
    ['so does a target', '3.2.0', '3.3.0', links({}), links({ target: '' })],
    ['and a level', '3.2.0', '3.3.0', raid({}), raid({ level: '' })],
    [
      'and a pin and its config',
      '3.2.0',
      '3.3.0',
      luks(custom({ needsNetwork: true })),
      luks(custom({ config: '', needsNetwork: true, pin: '' })),
    ],
    ['an empty clevis is none', '3.2.0', '3.3.0', luks({ clevis: {} }), luks({})],
    ['so is one with an empty list', '3.2.0', '3.3.0', luks({ clevis: { tang: [] } }), luks({})],
    ['special bits go', '3.5.0', '3.6.0', file({ mode: 0o4755 }), file({ mode: 0o755 })],
    [
      'also of directories',
      '3.0.0',
      '3.7.0-experimental',
      { storage: { directories: [{ path: '/d', mode: 0o1777 }] } },
      { storage: { directories: [{ path: '/d', mode: 0o777 }] } },
    ],
    [
      'special bits stay where they had an effect',
      '3.6.0',
      '3.7.0-experimental',
      file({ mode: 0o4755 }),
      file({ mode: 0o4755 }),
    ],
    [
      'an advertisement goes, as in Ignition',
      '3.4.0',
      '3.5.0',
      luks(tang({ advertisement: '{}' })),
      luks(tang({})),
    ],
    [
      'an advertisement of a later version stays',
      '3.5.0',
      '3.6.0',
      luks(tang({ advertisement: '{}' })),
      luks(tang({ advertisement: '{}' })),
    ],
  ])('%s (%s to %s)', (...[, from, to, config, expected]) => {
    expect(translated(config, from, to)).toEqual(JSON.parse(documentOf(expected, to)));
  });

  it.each<[string, SpecVersion, SpecVersion, Json, string[]]>([
    [
      'special bits that go',
      '3.5.0',
      '3.6.0',
      file({ mode: 0o4755 }),
      ['warning special-bits-dropped storage.files.0.mode'],
    ],
    ['no special bits', '3.5.0', '3.6.0', file({ mode: 0o755 }), []],
    [
      'every place',
      '3.3.0',
      '3.6.0',
      {
        storage: {
          files: [{ path: '/a', mode: 0o1755 }, { path: '/b' }, { path: '/c', mode: 0o1755 }],
          directories: [{ path: '/d' }, { path: '/e', mode: 0o2755 }],
        },
      },
      [
        'warning special-bits-dropped storage.directories.1.mode',
        'warning special-bits-dropped storage.files.0.mode',
        'warning special-bits-dropped storage.files.2.mode',
      ],
    ],
    [
      'an advertisement that goes',
      '3.4.0',
      '3.7.0-experimental',
      luks(tang({ advertisement: '{}' })),
      ['warning advertisement-lost storage.luks.0.clevis.tang.0.advertisement'],
    ],
  ])('reports %s (%s to %s)', (...[, from, to, config, expected]) => {
    expect(reported(translate(config, from, to))).toEqual(expected);
  });

  it('loses nothing else', () => {
    fc.assert(
      fc.property(randomConfigs(), fc.constantFrom(...specVersions), ({ config, version }, to) => {
        fc.pre(isSince(to, version));
        const translation = translateConfig(config, { from: version, to });
        if (translation.status === 'refused') throw new Error('refused');
        const lost = translation.findings.some(({ severity }) => severity === 'warning');
        fc.pre(!lost);
        const versioned = normalizeConfig(
          { ...config, ignition: { ...config.ignition, version: to } },
          version,
        );
        expect(translation.config).toMatchObject(withoutNullable(versioned));
      }),
      { numRuns: 100 },
    );
  });
});

/** It says nothing in some forms, which do not all lead back; the tables above have those that do. */
function hasClevis({ storage = {} }: Config): boolean {
  return (storage.luks ?? []).some(({ clevis }) => clevis !== undefined);
}

/** 3.2.0 alone tells an empty `clevis` from none. */
function withoutNullable(config: object): object {
  const text = JSON.stringify(config).replace(/"clevis":\{\},/g, '');
  return JSON.parse(text);
}

describe('translateConfig, downwards', () => {
  it.each<[string, SpecVersion, SpecVersion, Json]>([
    ['a file', '3.6.0', '3.0.0', contents({ source: 'data:,x', compression: 'gzip' })],
    ['an empty object and an empty list of a newer version', '3.6.0', '3.0.0', { kernelArguments: {} }],
    ['a clevis pin', '3.3.0', '3.2.0', luks(custom({ config: '{}', pin: 'sss' }))],
    ['an ordinary mode', '3.6.0', '3.5.0', file({ mode: 0o755 })],
    ['a level and a target', '3.3.0', '3.0.0', { ...raid({ level: 'raid1' }), ...links({ target: '/t' }) }],
  ])('keeps %s (%s to %s)', (_title, from, to, config) => {
    const expected = withoutEmpty(JSON.parse(documentOf(config, to)));
    const result = translated(config, from, to);
    expect(result).toEqual(expected);
    expect(validateConfig(Buffer.from(JSON.stringify(result))).valid).toBe(true);
  });

  it('leaves out an object that would mean something where null and {} differ', () => {
    const config = luks({ clevis: { custom: { needsNetwork: false }, ...tang({})['clevis'] } });
    expect(translated(config, '3.3.0', '3.2.0')).toEqual(JSON.parse(documentOf(luks(tang({})), '3.2.0')));
    const empty = luks({ clevis: { custom: { config: '', pin: '' }, threshold: 0, tpm2: false } });
    expect(translated(empty, '3.3.0', '3.2.0')).toEqual(JSON.parse(documentOf(luks({}), '3.2.0')));
  });

  it.each<[SpecVersion, SpecVersion, Json, string]>([
    [
      '3.1.0',
      '3.0.0',
      { ignition: { proxy: { noProxy: ['a'] } } },
      'field-unknown-to-version ignition.proxy 3.1.0',
    ],
    [
      '3.1.0',
      '3.0.0',
      authority({ compression: 'gzip' }),
      'field-unknown-to-version ignition.security.tls.certificateAuthorities.0.compression 3.1.0',
    ],
    [
      '3.1.0',
      '3.0.0',
      contents({ source: 'http://h', httpHeaders: [{ name: 'a', value: 'b' }] }),
      'field-unknown-to-version storage.files.0.contents.httpHeaders 3.1.0',
    ],
    [
      '3.1.0',
      '3.0.0',
      filesystem({ mountOptions: ['ro'] }),
      'field-unknown-to-version storage.filesystems.0.mountOptions 3.1.0',
    ],
    [
      '3.6.0',
      '3.0.0',
      contents({ source: 'data:,', verification: { hash: sha256 } }),
      'hash-unrecognized storage.files.0.contents.verification.hash 3.1.0',
    ],
    ['3.6.0', '3.1.0', contents({ source: 'gs://b/k' }), 'url-scheme storage.files.0.contents.source 3.2.0'],
    ['3.6.0', '3.1.0', luks(tang({})), 'field-unknown-to-version storage.luks 3.2.0'],
    [
      '3.6.0',
      '3.1.0',
      user({ shouldExist: false }),
      'field-unknown-to-version passwd.users.0.shouldExist 3.2.0',
    ],
    [
      '3.6.0',
      '3.2.0',
      { kernelArguments: { shouldExist: ['a'] } },
      'field-unknown-to-version kernelArguments 3.3.0',
    ],
    [
      '3.6.0',
      '3.2.0',
      filesystem({ format: 'none' }),
      'filesystem-format-invalid storage.filesystems.0.format 3.3.0',
    ],
    ['3.6.0', '3.3.0', contents({ source: arn }), 'url-scheme storage.files.0.contents.source 3.4.0'],
    ['3.6.0', '3.3.0', luks({ discard: true }), 'field-unknown-to-version storage.luks.0.discard 3.4.0'],
    [
      '3.6.0',
      '3.3.0',
      luks(tang({ advertisement: '{}' })),
      'field-unknown-to-version storage.luks.0.clevis.tang.0.advertisement 3.4.0',
    ],
    ['3.6.0', '3.4.0', luks({ cex: { enabled: true } }), 'field-unknown-to-version storage.luks.0.cex 3.5.0'],
    ['3.6.0', '3.5.0', file({ mode: 0o4755 }), 'special-bits-need-3.6.0 storage.files.0.mode 3.6.0'],
    [
      '3.6.0',
      '3.5.0',
      luks(custom({ config: '{}', pin: 'mine' })),
      'clevis-pin-unknown storage.luks.0.clevis.custom.pin 3.6.0',
    ],
    [
      '3.7.0-experimental',
      '3.6.0',
      filesystem({ device: '/tag', format: 'virtiofs' }),
      'filesystem-format-invalid storage.filesystems.0.format 3.3.0',
    ],
  ])('refuses from %s to %s: %j', (from, to, config, expected) => {
    const translation = translate(config, from, to);
    const lines = translation.findings.map(
      ({ rule, path, hint = '' }) =>
        `${rule} ${path.join('.')} ${/3\.\d\.0(-experimental)?/.exec(hint)?.[0] ?? '?'}`,
    );
    expect(translation.status).toBe('refused');
    expect(lines).toEqual([expected]);
  });

  it('says of each value which version accepts it, and of each field which has it', () => {
    const config = {
      storage: {
        files: [
          { path: '/a', contents: { source: 'gs://b/k' } },
          { path: '/b', contents: { source: arn } },
        ],
      },
      ...user({ shouldExist: true }),
    };
    const { findings } = translate(config, '3.6.0', '3.1.0');
    expect(findings.map(({ message, hint }) => [message, hint])).toEqual([
      ['spec version 3.1.0 does not have shouldExist', 'translate to 3.2.0 or newer, or remove shouldExist'],
      ['invalid url scheme, in spec version 3.1.0', 'use spec version 3.2.0 or newer for gs: URLs'],
      ['invalid url scheme, in spec version 3.1.0', 'use spec version 3.4.0 or newer for arn: URLs'],
    ]);
  });

  it('names everything that is in the way', () => {
    const config = {
      ...user({ shouldExist: true }),
      kernelArguments: { shouldExist: ['a'] },
      ...contents({ source: arn }),
    };
    expect(reported(translate(config, '3.6.0', '3.0.0'))).toEqual([
      'error field-unknown-to-version kernelArguments',
      'error field-unknown-to-version passwd.users.0.shouldExist',
      'error url-scheme storage.files.0.contents.source',
    ]);
  });

  it('warns that an advertisement does not last in 3.4.0', () => {
    const config = luks(tang({ advertisement: '{}' }));
    expect(translated(config, '3.5.0', '3.4.0')).toEqual(JSON.parse(documentOf(config, '3.4.0')));
    expect(reported(translate(config, '3.5.0', '3.4.0'))).toEqual([
      'warning advertisement-fragile storage.luks.0.clevis.tang.0.advertisement',
    ]);
  });

  it('what it gives is valid and leads back to the config', () => {
    fc.assert(
      fc.property(randomConfigs(), fc.constantFrom(...specVersions), ({ config, valid, version }, to) => {
        fc.pre(valid && !isSince(to, version) && !hasClevis(config));
        const down = translateConfig(config, { from: version, to });
        expect(reported(down).some(isErrorLine)).toBe(down.status === 'refused');
        if (down.status === 'refused') return;
        expect(validateConfig(Buffer.from(formatIgnition(down.config)))).toMatchObject({ valid: true });
        const back = translateConfig(down.config, { from: to, to: version });
        expect(back).toEqual({
          status: 'translated',
          config: normalizeConfig(config, version),
          findings: [],
        });
      }),
      { numRuns: 100 },
    );
  });

  it('leads back up from where it came', () => {
    fc.assert(
      fc.property(randomConfigs(), fc.constantFrom(...specVersions), ({ config, valid, version }, to) => {
        fc.pre(valid && isSince(to, version) && !hasClevis(config));
        const up = translateConfig(config, { from: version, to });
        if (up.status === 'refused') throw new Error('refused');
        fc.pre(up.findings.length === 0 && validateConfig(Buffer.from(formatIgnition(up.config))).valid);
        const down = translateConfig(up.config, { from: to, to: version });
        expect(reported(down).filter(isErrorLine)).toEqual([]);
        expect(down).toMatchObject({ config: withoutNullable(normalizeConfig(config, version)) });
      }),
      { numRuns: 100 },
    );
  });
});

it.each(Object.values(translationRules).map((rule) => [rule, rule] as const))(
  '%s is worded and hinted at',
  (_id, { message, hint }) => {
    expect([message, hint]).toEqual([
      expect.stringMatching(/^[a-z]/),
      expect.stringMatching(/^[a-z].*[^.]$/),
    ]);
  },
);

describe('translateConfig', () => {
  it.skipIf(sharedData === undefined)(`gives what Ignition gives${sharedDataNote}`, () => {
    const path = join(sharedData ?? '', 'ignition-translate-cases.jsonl');
    const cases: TranslateCase[] = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(cases.length).toBeGreaterThan(40);
    for (const { id, spec, doc, translated: results } of cases) {
      for (const to of specVersions.filter((version) => version in results)) {
        expect({ id, to, result: withoutEmpty(translated(doc, spec, to)) }).toEqual({
          id,
          to,
          result: withoutEmpty(results[to]),
        });
      }
    }
  });
});

interface TranslateCase {
  readonly id: string;
  readonly spec: SpecVersion;
  readonly doc: Json;
  readonly translated: Readonly<Partial<Record<SpecVersion, unknown>>>;
}
