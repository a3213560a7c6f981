import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { dataUrl, render } from './support.ts';

const folder = join(import.meta.dirname, '../../support/certificates');
const good = readFileSync(join(folder, 'test-ca.pem'), 'utf8');
const expired = readFileSync(join(folder, 'expired-ca.pem'), 'utf8');
const whileGood = new Date('2026-01-01T00:00:00Z');
const der = `data:;base64,${new X509Certificate(good).raw.toString('base64')}`;

function rules(source: string, now = whileGood): string[] {
  const file = { path: '/etc/pki/ca-trust/source/anchors/x.crt', contents: { source } };
  const config = render({ apiUrls: ['http://192.0.2.1:6385'] });
  const anchors = { ...config, storage: { files: [file] } };
  const authorities = {
    ...config,
    ignition: { version: '3.2.0', security: { tls: { certificateAuthorities: [{ source }] } } },
  };
  const [first, second] = [anchors, authorities].map((one) =>
    lintConfig(one, { now }).flatMap(({ rule }) => (rule.id.startsWith('agent-ca') ? [rule.id] : [])),
  );
  expect(first).toEqual(second);
  return first ?? [];
}

describe('certificate authorities', () => {
  it.each([
    ['a good one', dataUrl(good), []],
    ['DER', der, []],
    ['two, one expired', dataUrl(`${good}${expired}`), ['agent-ca-validity']],
    ['no certificate', dataUrl('text'), ['agent-ca-unreadable']],
    ['a broken one', dataUrl(good.replace('MII', 'MIJ')), ['agent-ca-unreadable']],
    [
      'a private key',
      dataUrl(`${good}-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n`),
      ['agent-ca-unreadable'],
    ],
    ['damaged DER', `data:;base64,MAAA`, ['agent-ca-unreadable']],
    ['one from elsewhere', 'https://192.0.2.1/ca.crt', []],
  ])('%s', (_title, source, expected) => {
    expect(rules(source)).toEqual(expected);
  });

  it('one of the future', () => {
    expect(rules(dataUrl(good), new Date(0))).toEqual(['agent-ca-validity']);
  });
});
