/** The proxies that Ignition fetches through. */

import { parseGoUrl } from '../../formats/goUrl.ts';
import type { Proxy } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { found, issue, refusal, remark } from './declare.ts';
import { unparsableIssue } from './url.ts';

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
