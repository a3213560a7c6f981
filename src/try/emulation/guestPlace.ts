/**
 * By which address an emulated machine reaches this one. The network around it can have any, so it gets the one that its
 * config names for Ironic, if there is one that fits: then the very bytes are tried that are to be deployed. A machine whose agent cannot call this Ironic is not started.
 */

import type { Io } from '../../io/io.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import {
  type ApiPlace,
  guestHostFor,
  guestHostProblem,
  hasPortOf,
  mayLeadHere,
  USUAL_HOST,
} from '../timeline/addresses.ts';
import type { PreflightEvent } from '../timeline/events.ts';
import { type ImageConfig, readFolderConfig, readImageConfig } from '../address/imageConfig.ts';
import type { IronicUrls } from '../address/ironicOfHosts.ts';
import { readFolderUrl } from '../serving/preparedFolderService.ts';
import type { TrialSetup } from '../setup.ts';
import type { EmulatedSource } from './emulatedSource.ts';

export interface GuestPlace {
  /** IPv4. */
  readonly host: string;
  /** Where its config looks for Ironic; none where that is not known. */
  readonly ironicUrls: readonly string[];
  /** What its image says; of a host of the inventory, whose config is made to call here, undefined. */
  readonly config: ImageConfig | undefined;
}

/** Throws CliError for a folder from which no emulated machine can boot, and for an image that cannot be read. */
export async function findGuestPlace(
  { host: { name }, medium }: EmulatedSource,
  { given, listed, setup }: GuestWishes,
  io: Io,
): Promise<GuestPlace> {
  const { ironicUrl, listen, scheme } = setup;
  const place = { scheme, port: listen.kind === 'tcp' ? listen.port : 0 };
  if (medium.kind === 'folder') {
    const { host } = readFolderUrl(medium);
    const config = await readFolderConfig(medium, name, io);
    return { host: given ?? host, ironicUrls: urlsOf(config), config };
  }
  const config = medium.kind === 'image' ? await readImageConfig(medium.source, io) : undefined;
  const ofHost = ironicUrl === undefined ? listed.get(name) : [ironicUrl];
  const ironicUrls = config === undefined ? (ofHost ?? []) : urlsOf(config);
  return { host: given ?? guestHostFor(ironicUrls, place) ?? USUAL_HOST, ironicUrls, config };
}

function urlsOf(config: ImageConfig): readonly string[] {
  return config.kind === 'urls' ? config.urls : [];
}

export interface GuestWishes {
  /** What `--guest-host` says. */
  readonly given: string | undefined;
  /** Of the inventory. */
  readonly listed: IronicUrls;
  readonly setup: Pick<TrialSetup, 'ironicUrl' | 'listen' | 'scheme'>;
}

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
