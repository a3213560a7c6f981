/** Whether the agent in an image can call here at all: if not, its machine is not even started. */

import type { Diagnostic } from '../../core/diagnostic.ts';
import type { PreflightEvent } from '../timeline/events.ts';
import { guestHostProblem } from '../timeline/guestNetwork.ts';
import { type ApiPlace, hasPortOf, mayLeadHere } from '../timeline/ironicAddress.ts';
import type { GuestPlace } from './guestPlace.ts';

type Problem = PreflightEvent['problem'];

/** Undefined where it can call here, or where that is not known. */
export function preflightProblem({ config, host }: GuestPlace, place: ApiPlace): Problem | undefined {
  switch (config?.kind) {
    case 'no-config':
      return { kind: 'no-config', message: config.problem };
    case 'urls': {
      const { urls } = config;
      if (mayLeadHere(urls, place)) return undefined;
      const here = `${place.scheme}://${host}:${place.port}`;
      return { kind: 'other-ironic', urls, here, fix: fixFor(urls, place, here) };
    }
    case 'unknown':
    case undefined:
    default:
      return undefined;
  }
}

/** What the user is told of it. */
export function preflightRemark(problem: Problem): Diagnostic {
  const severity = 'error';
  if (problem.kind === 'no-config') {
    const hint = 'embed a config with `iso ignition embed`, or boot another image';
    return { severity, message: `${problem.message}: no agent would call, so it is not booted`, hint };
  }
  const { fix, here, urls } = problem;
  const message = `the config names ${urls.join(', ')} as Ironic, and this Ironic is at ${here} for the machine: no agent would call, so it is not booted`;
  return { severity, message, hint: fix };
}

/** The emulated network can give this machine any IPv4 address; scheme and port have to be those of the config. */
function fixFor(urls: readonly string[], place: ApiPlace, here: string): string {
  const url = urls.flatMap((text) => (URL.canParse(text) ? [new URL(text)] : [])).find(isReachable);
  if (url === undefined) return `render the config with --api-url ${here}, and embed it again`;
  if (hasPortOf(url.href, place)) return `use --guest-host ${url.hostname}, or leave --guest-host out`;
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? 443 : 80) : url.port;
  const isSchemeSame = isSecure === (place.scheme === 'https');
  const tls = isSchemeSame ? '' : isSecure ? ' and --tls' : ' without --tls';
  return `use --listen 127.0.0.1:${port}${tls}, or render the config with --api-url ${here}`;
}

function isReachable({ hostname, protocol }: URL): boolean {
  return /^https?:$/.test(protocol) && guestHostProblem(hostname) === undefined;
}
