/** Where the status page of `serve` and `controller` is. */

import type { Diagnostic } from '../core/finding.ts';
import type { Links } from '../hosts/plan/links.ts';
import type { Setup } from './setup.ts';

export function pageMessage({ signer, tls, tokens }: Setup, { publicUrl }: Links): Diagnostic {
  if (signer !== undefined && tokens.length === 0 && tls?.clientCa === undefined) {
    return {
      severity: 'info',
      message: 'no client has access to the status page and /metrics',
      hint: 'pass --token-file FILE with a token from: openssl rand -hex 32',
    };
  }
  const hint =
    tokens.length === 0 ? undefined : 'log in with any user name and a token of --token-file as password';
  return { severity: 'info', message: `status page: ${publicUrl}/`, hint };
}
