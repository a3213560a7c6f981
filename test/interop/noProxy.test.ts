/**
 * Which hosts the agent and podman reach without the proxy, with the libraries that they use as the judges: requests of Python
 * (IPA_PYTHON names another one), and httpproxy of Go, which is built for those who set IRONIC_COREOS_REGISTRIES.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isExceptForGo, isExceptForPython } from '../../src/network/noProxy.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';
import { seededRandom } from '../support/randomNetworks.ts';
import { hasIpa, ipaNote, ipaPython } from '../support/ipaOracle.ts';

const folder = join(import.meta.dirname, 'noProxy');

const hosts = [
  '192.0.2.1',
  '192.0.2.17',
  '10.0.0.1',
  '127.0.0.1',
  'ironic',
  'ironic.example.com',
  'example.com',
  'a.b.example.com',
  'notexample.com',
  'localhost',
  '[2001:db8::1]',
  '[2001:db8::10]',
  '[::1]',
];
const entries = [
  '*',
  '',
  '*.',
  '.',
  '[]',
  '[',
  ']',
  '/24',
  ':443',
  'com',
  'localhost',
  'ironic',
  '192.0.2.1',
  ' 192.0.2.1 ',
  '192.0.2.1:6385',
  '192.0.2.1:443',
  '192.0.2.*',
  '2.1',
  '.2.1',
  '192.0.2.0/24',
  '192.0.2.1/32',
  '0.0.0.0/0',
  '10.0.0.0/8',
  '192.0.2.0/255.255.255.0',
  '192.0.2.0/33',
  '192.0.2.0/024',
  '192.0.2.0/',
  '192.0.2.0 /24',
  '+192.0.2.0/24',
  '192.0.2.0/+24',
  '192.0.2.0/-1',
  'example.com',
  '.example.com',
  '..example.com',
  '*.example.com',
  '*example.com',
  'EXAMPLE.com',
  'example.com:6385',
  '.example.com:443',
  'example.com/24',
  'http://example.com',
  '2001:db8::1',
  '2001:DB8:0::1',
  '[2001:db8::1]',
  '[2001:db8::1]:6385',
  '[2001:db8::1]:443',
  '2001:db8::/32',
  '2001:db8::/0',
  '::/0',
  '2001:db8::1:6385',
  '2001:db8:',
  ':1',
];

/** A URL, and a value of NO_PROXY. */
function makeCases(): readonly (readonly [url: string, list: string])[] {
  const random = seededRandom(1);
  const pick = (): string => entries[Math.floor(random() * entries.length)] ?? '';
  const urls = hosts.flatMap((host) =>
    ['', ':6385'].flatMap((port) => ['http', 'https'].map((scheme) => `${scheme}://${host}${port}/v1`)),
  );
  return urls.flatMap((url) => [
    ...entries.map((entry) => [url, entry] as const),
    ...Array.from({ length: 80 }, () => [url, [pick(), pick(), pick()].join(',')] as const),
  ]);
}

/** The cases in which this program and a library differ. */
function findDifferences(
  decide: (url: URL, list: readonly string[]) => boolean,
  ask: (lines: string) => string,
): readonly object[] {
  const cases = makeCases();
  const answers = ask(cases.map((one) => `${JSON.stringify(one)}\n`).join(''))
    .trim()
    .split('\n');
  const different = cases.flatMap(([url, list], index) => {
    const ours = decide(new URL(url), list.split(','));
    return String(ours) === answers[index] ? [] : [{ url, list, ours, theirs: answers[index] }];
  });
  expect(new Set(answers)).toEqual(new Set(['true', 'false']));
  expect(cases.length).toBeGreaterThan(6000);
  return different;
}

describe.skipIf(!hasIpa)(`Python's requests${ipaNote}`, () => {
  it('connects to the same hosts without the proxy', () => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)));
    const different = findDifferences(isExceptForPython, (input) =>
      execFileSync(ipaPython, [join(folder, 'askRequests.py')], { input, env, encoding: 'utf8' }),
    );
    expect(different).toEqual([]);
  });
});

describe.skipIf(!have('httpproxy'))(`httpproxy of Go${oracleNote('httpproxy')}`, () => {
  it('connects to the same hosts without the proxy', () => {
    const different = findDifferences(isExceptForGo, (input) =>
      execFileSync(oracleFile('httpproxy'), { input, encoding: 'utf8' }),
    );
    expect(different).toEqual([]);
  });
});
