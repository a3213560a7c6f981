import { describe, expect, it } from 'vitest';
import { readVersion } from '../../src/ignition/validate.ts';
import { versionHint } from '../../src/ignition/hints.ts';
import { isSince, specVersions } from '../../src/ignition/versions.ts';

const read = (text: string) => readVersion(Buffer.from(text));
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
    ['v3.4.0', 'leave out the "v": "3.4.0"'],
    [`v3${'x'.repeat(98)}`, `leave out the "v": "3${'x'.repeat(38)}"`],
    ['2.3.0', 'Container Linux'],
    ['3.4', 'write "3.4.0"'],
    ['3.7.0', 'write "3.7.0-experimental"'],
    ['3.5.0-experimental', 'write "3.5.0"'],
    [' 3.4.0', 'write "3.4.0"'],
    ['3.4.1', 'always 0'],
    ['3.10.12', 'always 0'],
  ])('%s', (text, hint) => {
    expect(versionHint(text)).toMatch(new RegExp(hint));
  });

  it.each(['', '4.0.0', 'x', 'xv3.4.0', '12.0.0', 'x3.4.1', '3.4.1x', `v3${'x'.repeat(99)}`])(
    'none for %j',
    (text) => {
      expect(versionHint(text)).toBeUndefined();
    },
  );
});
