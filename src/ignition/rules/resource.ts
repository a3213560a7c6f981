/** Resources (source, compression and verification), and the `ignition` section that refers to them. */

import type { HttpHeader, IgnitionConfig, Proxy, Resource, Tls, Verification } from '../config.ts';
import { found, type Issue, issue, errorRule, warningRule } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { serverUrlIssue, urlIssue, urlRules } from './url.ts';

export const resourceRules = {
  compression: errorRule(
    'compression-unknown',
    'invalid compression method',
    'set it to "gzip", or remove the field if the contents are not compressed',
  ),
  verificationWithoutSource: errorRule(
    'verification-without-source',
    'source must be specified if verification is specified',
    'set the source that the hash belongs to, or remove the verification',
  ),
  headersScheme: errorRule(
    'http-headers-scheme',
    'cannot use HTTP headers with this source scheme',
    'remove the headers, or fetch from an http or https URL',
  ),
  headerName: errorRule(
    'http-header-name',
    "HTTP header name can't be empty",
    'set the name of the header, or remove the entry',
  ),
  headerValue: errorRule(
    'http-header-value',
    'unable to parse HTTP header',
    'set the value of the header, or remove "value" to delete the header in a merge',
  ),
};

export const checkResource: Check<Resource> = (resource, version) => {
  const { compression, httpHeaders = [], source, verification } = resource;
  return found(
    compression && compression !== 'gzip' && issue(resourceRules.compression, ['compression']),
    verification?.hash !== undefined &&
      source === undefined &&
      issue(resourceRules.verificationWithoutSource, ['verification', 'hash']),
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
    name === '' && issue(resourceRules.headerName, ['name']),
    value === '' && issue(resourceRules.headerValue, ['value']),
  );

function headersIssue(source = ''): Issue | undefined {
  const at = ['httpHeaders'];
  if (source === '') return issue(urlRules.unparsable, at, 'use an http or https URL, or remove the headers');
  return serverUrlIssue(source, at, issue(resourceRules.headersScheme, at));
}

/** The expected hash of fetched contents. */
export const verificationRules = {
  malformed: errorRule(
    'hash-malformed',
    'malformed hash specifier',
    'write the function, a dash and the sum: sha512-HEX, or sha256-HEX since 3.1.0',
  ),
  unrecognized: errorRule(
    'hash-unrecognized',
    'unrecognized hash function',
    'use sha512, or sha256 since 3.1.0, in lower case',
  ),
  wrongSize: errorRule(
    'hash-size',
    'incorrect size for hash sum',
    'write the whole sum: 128 hexadecimal digits for sha512, 64 for sha256',
  ),
};

export const checkVerification: Check<Verification> = ({ hash }, version) =>
  hash === undefined ? [] : found(hashIssue(hash, version));

function hashIssue(hash: string, version: SpecVersion): Issue | undefined {
  const at = ['hash'];
  const dash = hash.indexOf('-');
  if (dash === -1) return issue(verificationRules.malformed, at);
  const digits = sumLength(hash.slice(0, dash), version);
  if (digits === undefined) return issue(verificationRules.unrecognized, at);
  const length = Buffer.byteLength(hash.slice(dash + 1));
  if (length === digits) return undefined;
  return issue(verificationRules.wrongSize, at, `write the whole sum: ${digits} digits instead of ${length}`);
}

/** Number of hexadecimal digits of a sum. Ignition does not check that they are hexadecimal. */
function sumLength(hashFunction: string, version: SpecVersion): number | undefined {
  if (hashFunction === 'sha512') return 128;
  return hashFunction === 'sha256' && isSince(version, '3.1.0') ? 64 : undefined;
}

// The ignition section: required sources, and the proxies of Ignition. The general checks of sources run as well, so an
// invalid URL is reported twice.

export const ignitionRules = {
  sourceRequired: errorRule(
    'source-required',
    'source is required',
    'set "source" to the URL, or remove the entry',
  ),
};

export const checkIgnitionConfig: Check<IgnitionConfig> = ({ merge = [] }, version) =>
  requiredSourceIssues('merge', merge, version);

export const checkTls: Check<Tls> = ({ certificateAuthorities = [] }, version) =>
  requiredSourceIssues('certificateAuthorities', certificateAuthorities, version);

function* requiredSourceIssues(
  field: string,
  resources: readonly Resource[],
  version: SpecVersion,
): Iterable<Issue> {
  if (!isSince(version, '3.1.0')) return;
  for (const [index, { source }] of resources.entries()) {
    const at = [field, index];
    const broken = source ? urlIssue(source, version, at) : issue(ignitionRules.sourceRequired, at);
    if (broken !== undefined) yield broken;
  }
}

/** The proxies that Ignition uses. */
export const proxyRules = {
  scheme: errorRule(
    'proxy-scheme',
    'proxies must be http(s)',
    'write the scheme of the proxy: http://HOST:PORT or https://HOST:PORT',
  ),
  insecure: warningRule(
    'proxy-insecure',
    'insecure plaintext HTTP proxy specified for HTTPS resources',
    'use an https proxy if there is one; the traffic to the proxy is not encrypted',
  ),
};

export const checkProxy: Check<Proxy> = ({ httpProxy, httpsProxy }) =>
  found(proxyIssue('httpProxy', httpProxy), proxyIssue('httpsProxy', httpsProxy));

function proxyIssue(field: 'httpProxy' | 'httpsProxy', proxy: string | undefined): Issue | undefined {
  if (proxy === undefined) return undefined;
  const isInsecure = field === 'httpsProxy' && /^http:/i.test(proxy);
  return (
    serverUrlIssue(proxy, [field], issue(proxyRules.scheme, [field])) ??
    (isInsecure ? issue(proxyRules.insecure, [field]) : undefined)
  );
}
