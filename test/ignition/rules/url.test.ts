import { describe, expect, it } from 'vitest';
import { specVersions } from '../../../src/ignition/versions.ts';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

const dataUrlRule = 'write data:,TEXT with the text percent-encoded, or data:;base64,DATA';
const at = (rule: string): string[] => [`${rule} at source`];

describe('the URL of a source', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['http:', []],
    ['https://h/p', []],
    ['TFTP://h/p', []],
    ['s3://b/k', []],
    ['s3://b/k?versionId=1', []],
    ['s3://b/k?versionId=&versionId=1', at('s3-version-id')],
    ['s3://b/k?versionId', at('s3-version-id')],
    ['https://h/?versionId=', []],
    ['data:,x', []],
    ['data:,a b', at('data-url')],
    ['DATA:,x', at('data-url')],
    ['data:,\n', at('url-unparsable')],
    ['http://h/%', at('url-unparsable')],
    ['x', at('url-scheme')],
    ['file:///etc/passwd', at('url-scheme')],
    ['constructor:x', at('url-scheme')],
  ])('%j breaks %j', (source, rules) => {
    for (const version of specVersions) {
      expect(brokenRules(version === '3.0.0' ? 'FileContents' : 'Resource', { source }, version)).toEqual(
        rules,
      );
    }
  });

  it.each([
    ['gs://b/o', '3.1.0', at('url-scheme')],
    ['gs://b/o', '3.2.0', []],
    ['arn:aws:s3:::b/k', '3.3.0', at('url-scheme')],
    ['arn:aws:s3:::b/k', '3.4.0', []],
    ['arn:aws:s3:::b', '3.4.0', at('s3-arn')],
    ['arn:aws:s3::b/k', '3.4.0', at('s3-arn')],
    ['arn:aws:ec2:::b/k', '3.4.0', at('s3-arn')],
    ['arn:/aws:s3:::b/k', '3.4.0', at('s3-arn')],
    ['arn:aws:s3:r:1:accesspoint/n/object/k', '3.4.0', []],
    ['arn:aws:s3:r:1:accesspoint/n', '3.4.0', at('s3-arn')],
    ['arn:aws:s3:::b/k?versionId=', '3.4.0', at('s3-version-id')],
  ] as const)('%s in %s breaks %j', (source, version, rules) => {
    expect(brokenRules('Resource', { source }, version)).toEqual(rules);
  });

  it.each([
    ['gs://b/o', 'use spec version 3.2.0 or newer for gs: URLs'],
    ['ftp://h/x', /^use a scheme/],
    ['file:///x', 'embed the file as data:;base64,DATA: Ignition cannot read local files'],
    ['x', 'write an absolute URL, e.g. https://HOST/PATH, or data:,TEXT for inline contents'],
    ['http://h/\n', 'fix the URL: it contains a control character'],
    ['data:', 'add a comma before the data: data:,TEXT'],
    ['data:text/plain;a="b', dataUrlRule],
    [
      'data:,a b',
      'percent-encode characters that are not plain text, or use data:;base64, with the standard alphabet (+ and /)',
    ],
    ['data:x', 'remove the media type: data:,TEXT or data:;base64,DATA'],
    ['data:,%', 'write %25 for a percent sign'],
    ['data:;base64,Q', 'encode the data as base64 again, with = padding at the end'],
    ['data:;Base64,QQ==', 'write ;base64 in lower case, immediately before the comma'],
  ])('says what to do about %j', (source, hint) => {
    expect(
      issuesOf('Resource', { source }, '3.1.0')
        .map((issue) => issue.hint)
        .join(),
    ).toMatch(hint);
  });

  it('reports a data URL in the words of its reader, and does not repeat the data', () => {
    const [issue] = issuesOf('Resource', { source: 'data:,the secret' });
    expect(issue?.message).toBe('invalid data character');
    expect(JSON.stringify(issue)).not.toContain('secret');
  });
});
