/**
 * By which address an emulated machine reaches this one. The network around it can have any, so it gets the one that its
 * config names for Ironic, if there is one that fits: then the very bytes are tried that are to be deployed. A machine whose agent cannot call this Ironic is not started.
 */

import { join } from 'node:path';
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
import type { IronicUrls } from '../ironicAddress.ts';
import { type FolderPlace, readFolderUrl } from '../serving/preparedFolderService.ts';
import type { TrialSetup } from '../setup.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import { describeConfig } from '../../agent/deployed/describeConfig.ts';
import { CliError, FormatError } from '../../core/errors.ts';
import type { Config } from '../../ignition/config.ts';
import { readIgnition } from '../../image/embeddedIgnition.ts';
import { splitKargs } from '../../image/inspection/inspection.ts';
import { openLiveIso } from '../../image/liveIso.ts';
import type { OpenImage } from '../../io/images/imageBytes.ts';
import { readImage } from '../../io/images/imageFile.ts';
import type { ConfigArtifact } from '../../hosts/artifacts/artifacts.ts';
import { hostPath } from '../../hosts/artifacts/servedPaths.ts';
import { readDeployedConfig } from '../../hosts/input/imageSource.ts';

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
  { given, listed, setup }: GuestOptions,
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

interface GuestOptions {
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
    default:
    case undefined:
      return undefined;
  }
}

/** What the user is told of it. */
export function preflightDiagnostic(problem: Problem): Diagnostic {
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

type ImageConfig =
  /** At least one. */
  | { readonly kind: 'urls'; readonly urls: readonly string[] }
  /** Ignition gets no config from it. `problem` is a clause. */
  | { readonly kind: 'no-config'; readonly problem: string }
  /** What the agent calls cannot be told from the image alone. `reason` is a clause. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** @param source a path or a URL. Throws CliError where it cannot be read. */
export async function readImageConfig(source: string, io: Io): Promise<ImageConfig> {
  const iso = await readImage(source, io, lookAtIso);
  if (iso === undefined) {
    return {
      kind: 'unknown',
      reason: `${source} is no live ISO of CoreOS, so it is not known what it calls`,
    };
  }
  const { hasConfig, kargs } = iso;
  // Counts more than what is embedded.
  if (kargs.some((argument) => argument.startsWith(CONFIG_URL))) {
    return { kind: 'unknown', reason: `kernel arguments of ${source} name a config that is fetched on boot` };
  }
  if (!hasConfig) return { kind: 'no-config', problem: `${source} holds no Ignition config` };
  return readConfigFile(source, io, kargs);
}

/** Of a host. */
async function readFolderConfig({ manifest, path }: FolderPlace, host: string, io: Io): Promise<ImageConfig> {
  const listed = new Set(manifest.files.map((file) => file.path));
  const file = bootedConfigs.map((artifact) => hostPath(host, artifact)).find((name) => listed.has(name));
  if (file !== undefined) return readConfigFile(join(path, file), io, []);
  return { kind: 'unknown', reason: `${path} lists no config of ${host}` };
}

/** By the boot scripts, in the order in which they are quick to read; all of one host hold the same config. */
const bootedConfigs: readonly ConfigArtifact[] = ['ign', 'archive', 'initramfs'];

const CONFIG_URL = 'ignition.config.url=';
const API_URL = 'ipa-api-url=';

interface LiveConfig {
  readonly hasConfig: boolean;
  readonly kargs: readonly string[];
}

/** Undefined for what is no live ISO of CoreOS, which may bring its agent and settings in other ways. */
async function lookAtIso(image: OpenImage): Promise<LiveConfig | undefined> {
  try {
    const iso = await openLiveIso(image);
    if ((await iso.features()).otherSystem) return undefined;
    const { current = '' } = (await iso.kargsAreas()) ?? {};
    return { hasConfig: (await readIgnition(iso)) !== undefined, kargs: splitKargs(current) };
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

async function readConfigFile(source: string, io: Io, kargs: readonly string[]): Promise<ImageConfig> {
  const config = await readDeployedConfig(source, io).catch((error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  if (config instanceof CliError) return { kind: 'no-config', problem: config.message };
  const urls = ironicUrlsOf(config);
  // The conf of the agent counts before kernel arguments.
  const named = urls.length > 0 ? urls : kargs.flatMap((argument) => valueOf(argument, API_URL));
  if (named.length > 0) return { kind: 'urls', urls: named };
  return isComplete(config)
    ? { kind: 'unknown', reason: `the config in ${source} names no Ironic` }
    : { kind: 'unknown', reason: `the config in ${source} refers to another one, which is not looked into` };
}

function ironicUrlsOf(config: Config): string[] {
  const values = describeConfig(config).find(({ setting }) => setting === 'ironic.apiUrls')?.values ?? [];
  return values.flatMap((text) => text.split(',')).flatMap((url) => url.trim() || []);
}

function isComplete({ ignition }: Config): boolean {
  const { merge = [], replace } = ignition?.config ?? {};
  return merge.length === 0 && replace?.source === undefined;
}

function valueOf(argument: string, name: string): string[] {
  return argument.startsWith(name) ? [argument.slice(name.length)] : [];
}
