/** Resources: source, compression, headers and verification. */

import type { Finding } from '../../core/finding.ts';
import type { HttpHeader, Resource, Verification } from '../config.ts';
import { errorRules, found, issue } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { serverUrlIssue, urlIssue, urlRules } from './url.ts';

export const resourceRules = errorRules({
  'compression-unknown': [
    'invalid compression method',
    'set it to "gzip", or remove the field if the contents are not compressed',
  ],
  'verification-without-source': [
    'source must be specified if verification is specified',
    'set the source that the hash belongs to, or remove the verification',
  ],
  'http-headers-scheme': [
    'cannot use HTTP headers with this source scheme',
    'remove the headers, or fetch from an http or https URL',
  ],
  'http-header-name': ["HTTP header name can't be empty", 'set the name of the header, or remove the entry'],
  'http-header-value': [
    'unable to parse HTTP header',
    'set the value of the header, or remove "value" to delete the header in a merge',
  ],
});

export const checkResource: Check<Resource> = (resource, version) => {
  const { compression, httpHeaders = [], source, verification } = resource;
  return found(
    compression && compression !== 'gzip' && issue(resourceRules['compression-unknown'], ['compression']),
    verification?.hash !== undefined &&
      source === undefined &&
      issue(resourceRules['verification-without-source'], ['verification', 'hash']),
    source && urlIssue(source, version, ['source']),
    httpHeaders.length > 0 && headersIssue(source),
  );
};

/** A config to merge or to use instead, in 3.0.0. */
export const checkConfigReference: Check<Resource> = ({ source }, version) =>
  found(source && urlIssue(source, version, ['source']));

/** A certificate authority in 3.0.0: the only source that must not be empty in that version. */
export const checkCaReference: Check<Resource> = ({ source = '' }, version) =>
  found(urlIssue(source, version, ['source']));

export const checkHttpHeader: Check<HttpHeader> = ({ name = '', value }) =>
  found(
    name === '' && issue(resourceRules['http-header-name'], ['name']),
    value === '' && issue(resourceRules['http-header-value'], ['value']),
  );

function headersIssue(source = ''): Finding | undefined {
  const at = ['httpHeaders'];
  if (source === '')
    return issue(urlRules['url-unparsable'], at, 'use an http or https URL, or remove the headers');
  return serverUrlIssue(source, at, issue(resourceRules['http-headers-scheme'], at));
}

export const verificationRules = errorRules({
  'hash-malformed': [
    'malformed hash specifier',
    'write the function, a dash and the sum: sha512-HEX, or sha256-HEX since 3.1.0',
  ],
  'hash-unrecognized': ['unrecognized hash function', 'use sha512, or sha256 since 3.1.0, in lower case'],
  'hash-size': [
    'incorrect size for hash sum',
    'write the whole sum: 128 hexadecimal digits for sha512, 64 for sha256',
  ],
});

export const checkVerification: Check<Verification> = ({ hash }, version) =>
  hash === undefined ? [] : found(hashIssue(hash, version));

function hashIssue(hash: string, version: SpecVersion): Finding | undefined {
  const at = ['hash'];
  const dash = hash.indexOf('-');
  if (dash === -1) return issue(verificationRules['hash-malformed'], at);
  const name = hash.slice(0, dash);
  // Ignition does not check that the digits are hexadecimal.
  const digits = name === 'sha512' ? 128 : name === 'sha256' && isSince(version, '3.1.0') ? 64 : undefined;
  if (digits === undefined) return issue(verificationRules['hash-unrecognized'], at);
  const length = Buffer.byteLength(hash.slice(dash + 1));
  if (length === digits) return undefined;
  return issue(
    verificationRules['hash-size'],
    at,
    `write the whole sum: ${digits} digits instead of ${length}`,
  );
}
