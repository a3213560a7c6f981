/**
 * The `ignition` section: required sources, and the proxies of Ignition. `resource.ts` checks the sources as well, so an invalid URL
 * is reported twice.
 */

import type { Finding } from '../../core/finding.ts';
import type { IgnitionConfig, Proxy, Resource, Tls } from '../config.ts';
import { errorRules, found, issue, warningRules } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { serverUrlIssue, urlIssue } from './url.ts';

export const ignitionRules = errorRules({
  'source-required': ['source is required', 'set "source" to the URL, or remove the entry'],
});

export const checkIgnitionConfig: Check<IgnitionConfig> = ({ merge = [] }, version) =>
  requiredSourceIssues('merge', merge, version);

export const checkTls: Check<Tls> = ({ certificateAuthorities = [] }, version) =>
  requiredSourceIssues('certificateAuthorities', certificateAuthorities, version);

function* requiredSourceIssues(
  field: string,
  resources: readonly Resource[],
  version: SpecVersion,
): Iterable<Finding> {
  if (!isSince(version, '3.1.0')) return;
  for (const [index, { source }] of resources.entries()) {
    const at = [field, index];
    const broken = source ? urlIssue(source, version, at) : issue(ignitionRules['source-required'], at);
    if (broken !== undefined) yield broken;
  }
}

export const proxyRules = {
  ...errorRules({
    'proxy-scheme': [
      'proxies must be http(s)',
      'write the scheme of the proxy: http://HOST:PORT or https://HOST:PORT',
    ],
  }),
  ...warningRules({
    'proxy-insecure': [
      'insecure plaintext HTTP proxy specified for HTTPS resources',
      'use an https proxy if there is one; the traffic to the proxy is not encrypted',
    ],
  }),
};

export const checkProxy: Check<Proxy> = ({ httpProxy, httpsProxy }) =>
  found(proxyIssue('httpProxy', httpProxy), proxyIssue('httpsProxy', httpsProxy));

function proxyIssue(field: 'httpProxy' | 'httpsProxy', proxy: string | undefined): Finding | undefined {
  if (proxy === undefined) return undefined;
  const isInsecure = field === 'httpsProxy' && /^http:/i.test(proxy);
  return (
    serverUrlIssue(proxy, [field], issue(proxyRules['proxy-scheme'], [field])) ??
    (isInsecure ? issue(proxyRules['proxy-insecure'], [field]) : undefined)
  );
}
