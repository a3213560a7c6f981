/**
 * The ignition section: sources that must be there, and the proxies that Ignition fetches through. The own checks of
 * sources run as well, so a bad URL is reported twice.
 */

import type { IgnitionConfig, Proxy, Resource, Tls } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { found, issue, refusal, remark } from './declare.ts';
import { sourceIssue, unparsableIssue } from './url.ts';
import { parseGoUrl } from '../../formats/goUrl.ts';

export const ignitionRules = {
  sourceRequired: refusal(
    'source-required',
    'source is required',
    'give the URL to fetch, or remove the entry',
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
    const broken = source ? sourceIssue(source, version, at) : issue(ignitionRules.sourceRequired, at);
    if (broken !== undefined) yield broken;
  }
}

/** The proxies that Ignition fetches through. */
export const proxyRules = {
  scheme: refusal(
    'proxy-scheme',
    'proxies must be http(s)',
    'write the proxy with its scheme: http://HOST:PORT or https://HOST:PORT',
  ),
  insecure: remark(
    'proxy-insecure',
    'insecure plaintext HTTP proxy specified for HTTPS resources',
    'use an https proxy if there is one; the traffic to the proxy is not encrypted',
  ),
};

export const checkProxy: Check<Proxy> = ({ httpProxy, httpsProxy }) =>
  found(proxyIssue('httpProxy', httpProxy), proxyIssue('httpsProxy', httpsProxy));

function proxyIssue(field: 'httpProxy' | 'httpsProxy', proxy: string | undefined): Issue | undefined {
  if (proxy === undefined) return undefined;
  const url = parseGoUrl(proxy);
  if ('problem' in url) return unparsableIssue(url.problem, [field]);
  if (url.scheme !== 'http' && url.scheme !== 'https') return issue(proxyRules.scheme, [field]);
  const isInsecure = field === 'httpsProxy' && url.scheme === 'http';
  return isInsecure ? issue(proxyRules.insecure, [field]) : undefined;
}
