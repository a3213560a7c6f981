/** URLs of contents that Ignition fetches. */

import type { Path, Finding } from '../../core/finding.ts';
import { checkDataUrl } from '../../formats/dataUrl.ts';
import { type GoUrl, parseGoUrl, queryParameter } from '../../formats/goUrl.ts';
import { errorRules, issue } from '../../core/rule.ts';
import { isSince, type SpecVersion } from '../versions.ts';

export const urlRules = errorRules({
  'url-unparsable': [
    'unable to parse url',
    'write an absolute URL and percent-encode the characters that URLs do not support',
  ],
  'url-scheme': [
    'invalid url scheme',
    'use a scheme that Ignition supports: http, https, tftp, s3, data, gs (since 3.2.0) or arn (since 3.4.0)',
  ],
  's3-arn': [
    'invalid S3 ARN format',
    'write arn:aws:s3:::BUCKET/KEY or arn:aws:s3:REGION:ACCOUNT:accesspoint/NAME/object/KEY',
  ],
  's3-version-id': ['invalid S3 object VersionId', 'set the value of versionId, or remove the parameter'],
  'data-url': ['invalid data URL', 'write data:,TEXT with the text percent-encoded, or data:;base64,DATA'],
});

/** The problem of a URL; an empty URL has no scheme. */
export function urlIssue(source: string, version: SpecVersion, at: Path): Finding | undefined {
  const url = parseGoUrl(source);
  if ('problem' in url) return unparsableIssue(url.problem, at);
  const since = schemes.get(url.scheme);
  if (since === undefined) return issue(urlRules['url-scheme'], at, schemeHint(url.scheme));
  if (!isSince(version, since)) {
    return issue(urlRules['url-scheme'], at, `use spec version ${since} or newer for ${url.scheme}: URLs`);
  }
  if (url.scheme === 'data') {
    const message = checkDataUrl(source);
    if (message === undefined) return undefined;
    return { ...urlRules['data-url'], path: at, message, hint: dataUrlHint(message) };
  }
  if (url.scheme === 'arn' && !isS3Arn(url)) return issue(urlRules['s3-arn'], at);
  const supportsVersionId = url.scheme === 's3' || url.scheme === 'arn';
  const isEmpty = supportsVersionId && queryParameter(url.query, 'versionId') === '';
  return isEmpty ? issue(urlRules['s3-version-id'], at) : undefined;
}

/** The text is not a URL; `problem` is a clause that describes the reason. */
function unparsableIssue(problem: string, at: Path): Finding {
  return issue(urlRules['url-unparsable'], at, `fix the URL: ${problem}`);
}

/** The problem of a URL of a server; `other` is that of a scheme other than http and https. */
export function serverUrlIssue(text: string, at: Path, other: Finding): Finding | undefined {
  const url = parseGoUrl(text);
  if ('problem' in url) return unparsableIssue(url.problem, at);
  return url.scheme === 'http' || url.scheme === 'https' ? undefined : other;
}

/** The spec version that added each scheme. */
export const schemes: ReadonlyMap<string, SpecVersion> = new Map<string, SpecVersion>([
  ['http', '3.0.0'],
  ['https', '3.0.0'],
  ['tftp', '3.0.0'],
  ['s3', '3.0.0'],
  ['data', '3.0.0'],
  ['gs', '3.2.0'],
  ['arn', '3.4.0'],
]);

function schemeHint(scheme: string): string | undefined {
  if (scheme === '')
    return 'write an absolute URL, e.g. https://HOST/PATH, or data:,TEXT for inline contents';
  if (scheme === 'file') return 'embed the file as data:;base64,DATA: Ignition cannot read local files';
  return undefined;
}

function dataUrlHint(message: string): string {
  if (message.startsWith('invalid data character')) {
    return 'percent-encode characters that are not plain text, or use data:;base64, with the standard alphabet (+ and /)';
  }
  if (message.startsWith('illegal base64'))
    return 'encode the data as base64 again, with = padding at the end';
  if (message.startsWith('rfc2396')) return 'write %25 for a percent sign';
  if (message.includes('media type')) return 'remove the media type: data:,TEXT or data:;base64,DATA';
  if (message.includes('base64')) return 'write ;base64 in lower case, immediately before the comma';
  if (message.startsWith('missing comma')) return 'add a comma before the data: data:,TEXT';
  return urlRules['data-url'].hint;
}

/** An object in a bucket or behind an access point; like Ignition, this counts colons and slashes. */
function isS3Arn(url: GoUrl): boolean {
  const [, , service, , , ...resource] = `arn:${url.opaque}`.split(':', 6);
  if (service !== 's3' || resource[0] === undefined) return false;
  let slashes = 0;
  for (const character of url.opaque) if (character === '/') slashes += 1;
  return slashes >= (resource[0].startsWith('accesspoint/') ? 2 : 1);
}
