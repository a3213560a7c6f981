/** Inputs that are made to break a validator: whatever comes, there is a report, soon, and of a bearable length. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateConfig } from '../../src/ignition/validate.ts';
import { formatTextReport } from '../support/textReport.ts';
import { codePoint } from '../support/arbitraryText.ts';

const config = (rest: string): string => `{"ignition":{"version":"3.4.0"},${rest}}`;
const files = (item: string, count: number): string =>
  config(`"storage":{"files":[${`${item},`.repeat(count)}${item}]}`);
const unit = (contents: string): string =>
  config(`"systemd":{"units":[{"name":"a.service","contents":"${contents}"}]}`);

const million = 1_000_000;
const nothing = 'nothing is wrong';

describe('validateConfig: hostile sizes', () => {
  it.each([
    ['opening brackets', '['.repeat(4 * million), 'exceeded max depth'],
    ['opening braces', '{"":'.repeat(million), 'exceeded max depth'],
    ['brackets below the limit', `${'['.repeat(9999)}${']'.repeat(9999)}`, 'cannot unmarshal array'],
    ['bytes that are not UTF-8', '\xff'.repeat(4 * million), 'looking for beginning of value'],
    ['line feeds', '\n'.repeat(4 * million), 'unexpected end'],
    ['a number', config(`"storage":{"files":[{"mode":1${'0'.repeat(2 * million)}}]}`), 'number 1000'],
    [
      'a string for a number',
      config(`"storage":{"files":[{"mode":"${'0'.repeat(4 * million)}"}]}`),
      'string into',
    ],
    ['a path of bytes that are not UTF-8', files(`{"path":"/${'\xff'.repeat(million)}"}`, 0), nothing],
    ['a path of dots', files(`{"path":"${'/..'.repeat(million)}"}`, 0), 'not fully simplified'],
    ['a key', config(`"${'k'.repeat(4 * million)}":0`), 'unused key kkk'],
    ['the same unknown key', config(`${'"k":0,'.repeat(300_000)}"k":0`), 'unused key k'],
    ['a version', `{"ignition":{"version":"${'1'.repeat(2 * million)}"}}`, 'invalid config version'],
    ['a version of zeros', `{"ignition":{"version":"${'0'.repeat(million)}3.4.0"}}`, nothing],
    [
      'a data URL',
      files(`{"path":"/a","contents":{"source":"data:;base64,${'QUFB'.repeat(million)}"}}`, 0),
      nothing,
    ],
    [
      'escapes in a data URL',
      files(`{"path":"/a","contents":{"source":"data:,${'%ff'.repeat(million)}"}}`, 0),
      nothing,
    ],
    [
      'parameters of a data URL',
      files(`{"path":"/a","contents":{"source":"data:${';a=b'.repeat(200_000)},"}}`, 0),
      nothing,
    ],
    [
      'colons of a host',
      files(`{"path":"/a","contents":{"source":"https://${'a:'.repeat(million)}"}}`, 0),
      nothing,
    ],
    [
      'parameters of a query',
      files(`{"path":"/a","contents":{"source":"s3://b/k?${'a&'.repeat(million)}"}}`, 0),
      nothing,
    ],
    ['escapes in a path', files(`{"path":"/${String.raw`\u0041`.repeat(500_000)}"}`, 0), nothing],
    ['nulls', files('null', 600_000), 'too many'],
    ['empty objects', files('{}', 600_000), 'too many'],
    ['empty strings', config(`"kernelArguments":{"shouldExist":[${'"",'.repeat(600_000)}""]}`), 'too many'],
    ['sections of a unit', unit(String.raw`[U]\n`.repeat(200_000)), nothing],
    ['options of a unit', unit(String.raw`[U]\n${String.raw`A=b\n`.repeat(200_000)}`), nothing],
    ['empty lines of a unit', unit(String.raw`[U]\n${String.raw`\n`.repeat(million)}`), nothing],
    ['comments of a unit that go on', unit(String.raw`#\\\n`.repeat(300_000)), nothing],
    ['one line of a unit', unit('x'.repeat(4 * million)), 'line too long'],
  ])('%s', (_title, text, message) => {
    const bytes = Buffer.from(text, 'latin1');
    const report = validateConfig(bytes);
    expect(report.findings[0]?.message ?? nothing).toContain(message);
    expect(formatTextReport(report, { name: 'hostile.ign', bytes }).length).toBeLessThan(10_000);
  });
});

describe('validateConfig: any text in any place', () => {
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 40 }),
    fc.array(fc.constantFrom('data:', ',', ';', '%', '/', '..', ':', '[', ']', '=', '\n', '\\', '"', 'a', '\ud800'), { maxLength: 30 }).map((pieces) => pieces.join('')), // prettier-ignore
  );

  it.each([
    ['path', (value: string) => ({ storage: { files: [{ path: value }] } })],
    ['source', (value: string) => ({ storage: { files: [{ path: '/a', contents: { source: value } }] } })],
    ['device', (value: string) => ({ storage: { disks: [{ device: value }] } })],
    ['target', (value: string) => ({ storage: { links: [{ path: '/a', target: value }] } })],
    [
      'unit',
      (value: string) => ({ systemd: { units: [{ name: 'a.service', enabled: true, contents: value }] } }),
    ],
    [
      'name',
      (value: string) => ({ systemd: { units: [{ name: value }] }, passwd: { users: [{ name: value }] } }),
    ],
    ['hash', (value: string) => ({ storage: { files: [{ path: '/a', contents: { source: 'data:,', verification: { hash: value } } }] } })], // prettier-ignore
    ['proxy', (value: string) => ({ ignition: { version: '3.4.0', proxy: { httpProxy: value } } })],
    ['key', (value: string) => ({ [value]: value })],
  ])('%s', (_place, make) => {
    fc.assert(
      fc.property(text, (value) => {
        const bytes = Buffer.from(JSON.stringify({ ignition: { version: '3.4.0' }, ...make(value) }));
        const report = validateConfig(bytes);
        expect(report.valid).toBe(report.findings.every(({ severity }) => severity !== 'error'));
        expect(typeof formatTextReport(report, { name: 'x.ign', bytes })).toBe('string');
      }),
      { numRuns: 100 },
    );
  });
});
