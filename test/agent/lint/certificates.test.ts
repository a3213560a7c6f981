import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { bootIssues } from '../../../src/ignition/contents.ts';
import { dataUrl, render } from './support.ts';

const folder = join(import.meta.dirname, '../../support/certificates');
const good = readFileSync(join(folder, 'test-ca.pem'), 'utf8');
const expired = readFileSync(join(folder, 'expired-ca.pem'), 'utf8');
const whileGood = new Date('2026-01-01T00:00:00Z');
const der = `data:;base64,${new X509Certificate(good).raw.toString('base64')}`;

/** The rules for a trusted file of the host, and for a certificate authority of Ignition. */
function rules(source: string, now = whileGood): readonly (readonly string[])[] {
  const file = { path: '/etc/pki/ca-trust/source/anchors/x.crt', contents: { source } };
  const config = render({ apiUrls: ['http://192.0.2.1:6385'] });
  const anchors = { ...config, storage: { files: [file] } };
  const authorities = {
    ...config,
    ignition: { version: '3.2.0', security: { tls: { certificateAuthorities: [{ source }] } } },
  };
  return [anchors, authorities].map((one) =>
    [...bootIssues(one), ...lintConfig(one, { now })].flatMap(({ rule: id }) =>
      /^(?:agent-ca|ca|contents)-/.test(id) && id !== 'agent-conf-ca-unused' ? [id] : [],
    ),
  );
}

describe('certificate authorities', () => {
  it.each([
    ['a good one', dataUrl(good), [], []],
    ['two, one expired', dataUrl(`${good}${expired}`), ['agent-ca-invalid'], ['agent-ca-invalid']],
    ['no certificate', dataUrl('text'), ['agent-ca-invalid'], ['ca-unreadable']],
    ['a broken one', dataUrl(good.replace('MII', 'MIJ')), ['agent-ca-invalid'], ['ca-unreadable']],
    [
      'a private key',
      dataUrl(`${good}-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n`),
      ['agent-ca-invalid'],
      ['ca-unreadable'],
    ],
    ['damaged DER', `data:;base64,MAAA`, ['agent-ca-invalid'], ['ca-unreadable']],
    ['one from elsewhere', 'https://192.0.2.1/ca.crt', [], []],
  ])('%s', (_title, source, ofHost, ofIgnition) => {
    expect(rules(source)).toEqual([ofHost, ofIgnition]);
  });

  it.each([
    ['DER', der],
    ['an empty line at the end', dataUrl(`${good}\n`)],
    ['a comment at the end', dataUrl(`${good}# end\n`)],
    ['a blank at the end', dataUrl(`${good} `)],
  ])('%s, which only Ignition refuses', (_title, source) => {
    expect(rules(source)).toEqual([[], ['ca-unreadable']]);
  });

  it('may be missing from an empty file, for the host and for Ignition', () => {
    expect(rules('data:,')).toEqual([[], []]);
    expect(rules('data:text/plain;charset=utf-8;base64,')).toEqual([[], []]);
    expect(rules('data:,%20')).toEqual([['agent-ca-invalid'], ['ca-unreadable']]);
  });

  it.each([
    ['a comment in front', dataUrl(`# CA\n${good}`)],
    ['an empty line between two', dataUrl(`${good}\n${good}`)],
    ['no line break at the end', dataUrl(good.trimEnd())],
    ['line breaks of Windows', dataUrl(good.replaceAll('\n', '\r\n'))],
    ['blanks in the last line', dataUrl(good.trimEnd() + ' \t\n')],
  ])('%s, which Ignition accepts', (_title, source) => {
    expect(rules(source)).toEqual([[], []]);
  });

  it('one of the future', () => {
    expect(rules(dataUrl(good), new Date(0))).toEqual([['agent-ca-invalid'], ['agent-ca-invalid']]);
  });
});
