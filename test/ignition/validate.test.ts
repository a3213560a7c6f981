import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, formatPath, MAX_FINDINGS } from '../../src/core/finding.ts';
import { JSON_LIMITS, readJsonTree } from '../../src/formats/json/tree.ts';
import { versionHint } from '../../src/ignition/hints.ts';
import { validateConfig } from '../../src/ignition/validate.ts';
import { readVersion } from '../../src/ignition/readVersion.ts';
import { isSince, specVersions } from '../../src/ignition/versions.ts';

const validate = (text: string) => validateConfig(Buffer.from(text, 'latin1'));
const withVersion = (rest: string, version = '3.4.0') => `{"ignition":{"version":"${version}"}${rest}}`;

/** As Ignition prints it. */
function line({ severity, path, position, message }: Finding): string {
  const where = position === undefined ? '' : ` ${position.line}:${position.column}`;
  return `${severity} ${formatPath(path)}${where} ${message}`;
}

const linesOf = (text: string) => validate(text).findings.map(line);

describe('validateConfig: documents that are refused', () => {
  it.each([
    ['', 'error $ not a config (empty)'],
    [' ', 'error $ unexpected end of JSON input'],
    ['{"ignition": x}', "error $ 1:15 invalid character 'x' looking for beginning of value"],
    ['{x', "error $ invalid character 'x' looking for beginning of object key string"],
    ['[]', 'error $ 1:2 json: cannot unmarshal array into Go value of type util.versionStub'],
    ['{}', "error $ invalid config version (couldn't parse)"],
    ['null', "error $ invalid config version (couldn't parse)"],
    ['{"ignition":{"version":"2.3.0"}}', 'error $ unsupported config version'],
    [
      withVersion(',\n"storage":{"files":[{"mode":"0644"}]}'),
      'error $ 2:35 json: cannot unmarshal string into Go struct field File.storage.files.FileEmbedded1.mode of type int',
    ],
  ])('%j', (text, expected) => {
    expect(validate(text).valid).toBe(false);
    expect(linesOf(text)).toEqual([expected]);
  });

  it.each([
    ['\xef\xbb\xbf{}', 'byte order mark'],
    ['variant: fcos', 'from-butane'],
    ['# comment\n{}', 'YAML'],
    ['\x1f\x8b\x08', 'gzip'],
    ['\xff\xfe{\x00}\x00', 'UTF-16'],
    ['{"a":1,}', 'comma before the "}"'],
    ['[1,]', 'comma before the "]"'],
    ['{"a":\n// x\n1}', 'comments'],
    ["{'a':1}", 'double quotes'],
    ['{"a":"x\ny"}', 'line feed'],
    ['{"a":"x\ty"}', 'tab'],
    ['{"a":"C:\\x"}', 'backslash'],
    ['{"a":"say "x""}', 'write JSON'],
    ['{"a":1 "b":2}', 'missing comma'],
    ['{"a":', 'too early'],
    [withVersion(',"storage":{"files":[{"mode":"0644"}]}'), 'to 420, without quotes: octal 644'],
    [withVersion(',"storage":{"files":[{"mode":"rw"}]}'), 'octal 0644 is 420'],
    [withVersion(',"storage":{"files":[{"mode":420.0}]}'), 'digits only'],
    [withVersion(',"storage":{"files":[{"user":{"id":"1000"}}]}'), 'to 1000, without quotes'],
    [withVersion(',"storage":{"files":[{"overwrite":"true"}]}'), 'true, without quotes'],
    [withVersion(',"storage":{"files":[{"path":12}]}'), 'put quotes around 12'],
    [withVersion(',"storage":{"files":{}}'), 'put [ ] around the value'],
    [withVersion(',"storage":{"files":[{"contents":"hello"}]}'), '{"source": "data:,…"}'],
    [withVersion(',"storage":[]'), 'set storage to an object, not a list'],
    ['5', 'set the document to an object, not a number'],
    ['{"ignition":{"version":3.4}}', 'ignition.version to "3.4.0"'],
    ['{"ignition":{"version":"3.4"}}', 'use "3.4.0"'],
  ])('%j: hint %s', (text, hint) => {
    expect(validate(text).findings[0]?.hint).toContain(hint);
  });
});

describe('validateConfig: duplicates', () => {
  it.each([
    [',"storage":{"files":[{"path":"/a"},{"path":"/a"}]}', ['$.storage.files.1']],
    [
      ',"storage":{"links":[{"path":"/a","target":"/x"}],"files":[{"path":"/a"}],"directories":[{"path":"/a"}]}',
      ['$.storage.files.0', '$.storage.links.0'],
    ],
    [
      ',"kernelArguments":{"shouldExist":["a"],"shouldNotExist":["b","a","a"]}',
      ['$.kernelArguments.shouldNotExist.1', '$.kernelArguments.shouldNotExist.2'],
    ],
    [',"passwd":{"users":[{"name":"a"}],"groups":[{"name":"a"}]}', []],
    [
      ',"passwd":{"users":[{"name":"a","groups":["x",null,""],"sshAuthorizedKeys":["k","k"]}]}',
      ['$.passwd.users.0.groups.2', '$.passwd.users.0.sshAuthorizedKeys.1'],
    ],
    [
      ',"storage":{"disks":[{"device":"/dev/a","partitions":[{"label":"x"},{"number":1,"label":"y"},{"label":"x","number":2}]}]}',
      [],
    ],
    [',"storage":{"files":[{"path":"/a","append":[{},{}]}]}', []],
    [',"systemd":{"units":[{"name":"a.service"},{"name":"A.service"}]}', []],
  ])('%s', (rest, paths) => {
    const found = validate(withVersion(rest)).findings.filter(({ rule }) => rule === 'duplicate-entry');
    expect(found.map(({ path }) => formatPath(path))).toEqual(paths);
  });

  it('names the first of the two', () => {
    const [finding] = validate(
      withVersion(',"systemd":{"units":[{"name":"a.service"},{"name":"a.service"}]}'),
    ).findings;
    expect(finding?.hint).toBe('"a.service" is already defined at units.0');
  });
});

const mismatchAt = (path: string) =>
  `context tree does not match content tree at ${path}. Line and column reporting may be inconsistent. Unused keys may not be reported`;

describe('validateConfig: unused keys and nulls', () => {
  it.each([
    [',"x":1', ['warning $.x 1:33 unused key x']],
    [',"a.b":1', ['warning $.a.b 1:33 unused key a.b']],
    [',"x":1,\n"x":2', ['warning $.x 2:1 unused key x']],
    [',"b":1,"a":1', ['warning $.b 1:33 unused key b', 'warning $.a 1:39 unused key a']],
    [',"storage":null', [`warning $.storage 1:43 ${mismatchAt('$.storage')}`]],
    [',"storage":{"x":1},"storage":{}', []],
    [',"storage":{"x":1},"storage":null', [`warning $.storage 1:61 ${mismatchAt('$.storage')}`]],
    [',"Storage":{"x":1}', ['warning $.Storage 1:33 unused key Storage']],
    [',"storage":{"disks":null,"x":null}', ['warning $.storage.x 1:57 unused key x']],
    [',"x":1e999', []],
    [
      ',"storage":{"directories":[{"path":"/a"}],"Directories":[{"path":"/b"},{"path":"/c"}]},"y":0',
      ['warning $.y 1:119 unused key y', 'warning $.storage.Directories 1:74 unused key Directories'],
    ],
  ])('%s', (rest, expected) => {
    expect(linesOf(withVersion(rest))).toEqual(expected);
    expect(validate(withVersion(rest)).valid).toBe(true);
  });

  it('a null object in 3.2.0 may be one that is absent', () => {
    const clevis = ',"storage":{"luks":[{"name":"a","device":"/dev/a","clevis":null}]}';
    expect(linesOf(withVersion(clevis, '3.2.0'))).toEqual([]);
    expect(linesOf(withVersion(clevis, '3.3.0'))).toEqual([
      `warning $.storage.luks.0.clevis 1:91 ${mismatchAt('$.storage.luks.0.clevis')}`,
    ]);
  });

  it('a number beyond float64 takes all positions away', () => {
    expect(linesOf(withVersion(',"storage":{"links":[{"path":"a","target":"x"}]},"x":1e999'))).toEqual([
      'error $.storage.links.0.path path not absolute',
    ]);
  });

  it.each([
    ['3.2.0', ',"kernelArguments":{}', 'use spec version 3.3.0 or newer for "kernelArguments"'],
    [
      '3.4.0',
      ',"storage":{"luks":[{"name":"a","device":"/d","cex":{}}]}',
      'use spec version 3.5.0 or newer for "cex"',
    ],
    ['3.4.0', ',"Storage":{}', 'write "storage"'],
    ['3.4.0', ',"stroage":{}', 'use "storage"'],
    ['3.4.0', ',"passwd":{"users":[{"name":"a","ssh_authorized_keys":[]}]}', 'use "sshAuthorizedKeys"'],
    ['3.4.0', ',"storage":{"files":[{"path":"/a","contents":{"inline":"x"}}]}', 'is a Butane key'],
    ['3.4.0', ',"variant":"fcos"', 'is a Butane key'],
    ['3.4.0', ',"quux":1', 'remove the key'],
  ])('hint in %s for %s', (version, rest, hint) => {
    const [finding] = validate(withVersion(rest, version)).findings;
    expect(finding?.rule).toBe('unused-key');
    expect(finding?.hint).toContain(hint);
  });
});

describe('validateConfig: any input', () => {
  it('gives a report for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(typeof validateConfig(bytes).valid).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });

  it('gives a report for any JSON under any member, with positions inside the document', () => {
    const members = [
      'ignition',
      'storage',
      'systemd',
      'passwd',
      'files',
      'units',
      'contents',
      'name',
      'Path',
      'mode',
      'luks',
    ];
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom(null, true, 0, 420, 1.5, '', '/a', 'a.service', '3.4.0'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...members), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(...specVersions), (rest, version) => {
        const text = JSON.stringify(Object.assign({}, rest, { ignition: { version } }), null, 1);
        const lines = text.split('\n');
        for (const { position } of validate(text).findings) {
          expect(position?.column).toBeLessThanOrEqual((lines[(position?.line ?? 0) - 1]?.length ?? 0) + 1);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the verdict when there are more findings than it keeps', () => {
    for (const more of [1, 5]) {
      const unknown = Array.from({ length: MAX_FINDINGS + more }, (_, index) => `"x${index}":0`).join(',');
      const valid = validate(withVersion(`,${unknown}`));
      expect(valid).toMatchObject({ valid: true, findings: { length: MAX_FINDINGS + 1 } });
      expect(valid.findings.at(-1)?.message).toBe(`and more findings, which are not listed: ${more}`);
    }
  });

  it('refuses what would use up the memory', () => {
    const text = withVersion(`,"storage":{"files":[${'{},'.repeat(JSON_LIMITS.values)}{}]}`);
    expect(linesOf(text)).toEqual(['error $ not checked: the config has too many values']);
  });

  it('reads a part of a larger buffer', () => {
    const text = withVersion('');
    expect(validateConfig(Buffer.from(`xx${text}yy`).subarray(2, -2)).valid).toBe(true);
  });
});

const read = (text: string) => readVersion(readJsonTree(Buffer.from(text)).root);
const versionText = (version: string) => JSON.stringify({ ignition: { version } });

it.each(specVersions.map((version, index) => [version, index] as const))(
  '%s is since itself and those before',
  (version, index) => {
    const before = specVersions.filter((first) => isSince(version, first));
    expect(before).toEqual(specVersions.slice(0, index + 1));
  },
);

describe('readVersion', () => {
  it.each([
    ['3.0.0', '3.0.0'],
    ['3.6.0', '3.6.0'],
    ['3.7.0-experimental', '3.7.0-experimental'],
    ['03.04.00', '3.4.0'],
    [`${'0'.repeat(50)}3.4.0`, '3.4.0'],
    ['3.4.0+', '3.4.0'],
    ['3.4.0-', '3.4.0'],
    ['3.4.0-+', '3.4.0'],
    ['3.7.0-experimental+', '3.7.0-experimental'],
  ])('%s is %s', (text, version) => {
    expect(read(versionText(text))).toEqual({ status: 'supported', version });
  });

  it.each([
    '2.2.0',
    '3.4.1',
    '3.7.0',
    '3.6.0-experimental',
    '3.7.0-Experimental',
    '3.4.0+x',
    '3.4.0-alpha.beta+x.y',
    '4.0.0',
    '9223372036854775807.0.0',
  ])('%s is not supported', (text) => {
    expect(read(versionText(text))).toEqual({ status: 'unsupported', text });
  });

  it('reads millions of identifiers', () => {
    expect(read(versionText(`3.4.0-${'a.'.repeat(8e6)}a`)).status).toBe('unsupported');
  });

  it.each([
    '',
    '3',
    '3.4',
    'v3.4.0',
    ' 3.4.0',
    '3.4.0\n',
    '3.4.0.0',
    '3.4.',
    '3.4.x',
    '3.4.0-_',
    '3.4.0-a..b',
    '3.4.0+a b',
    '9223372036854775808.0.0',
    '.'.repeat(100_000),
  ])('%j is no version', (text) => {
    expect(read(versionText(text))).toEqual({ status: 'malformed', text });
  });

  it.each([
    ['null', 'malformed'],
    ['{}', 'malformed'],
    ['{"ignition":null}', 'malformed'],
    ['{"ignition":{"version":null}}', 'malformed'],
    ['{"Ignition":{"VERSION":"3.4.0"}}', 'supported'],
    ['{"ignition":{"version":"2.0.0"},"IGNITION":{"Version":"3.4.0"}}', 'supported'],
    ['{"ignition":{"version":"3.4.0","version":null}}', 'supported'],
    ['{"storage":1,"ignition":{"version":"3.4.0"}}', 'supported'],
  ])('%s: %s', (text, status) => {
    expect(read(text).status).toBe(status);
  });

  it.each([
    ['[]', 'json: cannot unmarshal array into Go value of type util.versionStub', 1],
    [
      '{"ignition":1}',
      'json: cannot unmarshal number into Go struct field versionStub.Ignition of type struct { Version string }',
      13,
    ],
    [
      '{"ignition":{"version":3.4}}',
      'json: cannot unmarshal number into Go struct field .Ignition.Version of type string',
      26,
    ],
  ])('%s: %s', (text, message, offset) => {
    expect(read(text)).toMatchObject({ status: 'mismatch', mismatch: { message, offset } });
  });
});

describe('versionHint', () => {
  it.each([
    ['v3.4.0', 'remove the "v": "3.4.0"'],
    [`v3${'x'.repeat(98)}`, `remove the "v": "3${'x'.repeat(38)}"`],
    ['2.3.0', 'Container Linux'],
    ['3.4', 'use "3.4.0"'],
    ['3.7.0', 'use "3.7.0-experimental"'],
    ['3.5.0-experimental', 'use "3.5.0"'],
    [' 3.4.0', 'use "3.4.0"'],
    ['3.4.1', 'end in 0'],
    ['3.10.12', 'end in 0'],
  ])('%s', (text, hint) => {
    expect(versionHint(text)).toMatch(new RegExp(hint));
  });

  it.each(['', '4.0.0', 'x', 'xv3.4.0', '12.0.0', 'x3.4.1', '3.4.1x'])('none for %j', (text) => {
    expect(versionHint(text)).toBeUndefined();
  });
});
