/** Where the status page of `serve` and `controller` is. */

import type { Diagnostic } from '../core/finding.ts';
import type { Links } from '../hosts/plan/links.ts';
import type { Setup } from './setup.ts';

/** The URL of the status page; undefined if no client has access to it. */
function pageUrl({ signer, tls, tokens }: Setup, { publicUrl }: Links): string | undefined {
  const isAccessible = signer === undefined || tokens.length > 0 || tls?.clientCa !== undefined;
  return isAccessible ? `${publicUrl}/` : undefined;
}

export function pageMessage(setup: Setup, links: Links): Diagnostic {
  const url = pageUrl(setup, links);
  if (url === undefined) {
    return {
      severity: 'info',
      message: 'no client has access to the status page and /metrics',
      hint: 'pass --token-file FILE with a token from: openssl rand -hex 32',
    };
  }
  const hint =
    setup.tokens.length === 0
      ? undefined
      : 'log in with any user name and a token of --token-file as password';
  return { severity: 'info', message: `status page: ${url}`, hint };
}
