/**
 * The address of this machine in the emulated network. QEMU can use any IPv4 address, so this is the Ironic address in the
 * config of the machine, if it is suitable. Then the config can be tested without a change. A machine whose agent cannot
 * call the mock Ironic is not started.
 */

import type { Finding } from '../../core/finding.ts';
import { join } from 'node:path';
import type { Io } from '../../io/io.ts';
import { type ApiEndpoint, hasPortOf, mayReachApi } from '../api/apiEndpoint.ts';
import { guestHostFor, guestHostProblem, DEFAULT_GUEST_HOST } from './guestNetwork.ts';
import type { IronicOfHosts } from '../api/ironicAddress.ts';
import { type ManifestFolder, readFolderUrl } from './preparedFolderService.ts';
import type { PlannedMachine, TrialPlan } from '../trial.ts';
import { confValues, readSubject } from '../../agent/lint/subject.ts';
import { CliError, FormatError, only } from '../../core/errors.ts';
import { parseUrl, portOf } from '../../formats/url.ts';
import { checkInsecureArgument } from '../../agent/insecureArgument.ts';
import { type KernelArgument, parseArguments } from '../../kargs/argument.ts';
import { openLiveIso } from '../../image/liveIso.ts';
import type { OpenImage } from '../../imagefile/openImage.ts';
import { readImage, withoutStdin } from '../../imagefile/imageFile.ts';
import type { ConfigArtifact } from '../../core/artifacts.ts';
import { readConfigOfImage } from '../../hosts/input/imageSource.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';

export type GuestAddress = Readonly<Awaited<ReturnType<typeof findGuestAddress>>>;

/**
 * The IPv4 address, the config in the image of the machine, and its Ironic URLs, which are empty if they are unknown. A host of the
 * inventory has no config, because its config gets the URL of the mock Ironic.
 * @param listed hosts of the inventory
 * @throws CliError if the machine cannot boot from the folder, or if the image cannot be read
 */
export async function findGuestAddress(
  { options: { guestHost: given }, source: { host, medium } }: PlannedMachine,
  listed: IronicOfHosts,
  { io, setup }: TrialPlan,
) {
  const { ironicUrl, listen, scheme } = setup;
  if (medium.kind === 'folder') {
    const { host: own } = readFolderUrl(medium);
    const config = await readFolderConfig(medium, host.name, io);
    return { host: given ?? own, ironicUrls: config.urls, config };
  }
  const config = medium.kind === 'image' ? await readImageConfig(medium.source, io) : undefined;
  if (config instanceof CliError) throw config;
  const ofHost = ironicUrl === undefined ? (listed.get(host.name) ?? []) : [ironicUrl];
  const ironicUrls = config?.urls ?? ofHost;
  const endpoint = { scheme, port: listen.kind === 'tcp' ? listen.port : 0 };
  return { host: given ?? guestHostFor(ironicUrls, endpoint) ?? DEFAULT_GUEST_HOST, ironicUrls, config };
}

/** Throws CliError if the agent cannot call the mock Ironic. */
export function refuseOtherIronic({ config, host }: GuestAddress, endpoint: ApiEndpoint): void {
  const { urls = [] } = config ?? {};
  if (urls.length === 0 || mayReachApi(urls, endpoint)) return;
  const here = `${endpoint.scheme}://${host}:${endpoint.port}`;
  throw new CliError(
    `the agent would call another Ironic: its config contains ${urls.join(', ')}, but the mock Ironic is at ${here} for the machine`,
    { code: 'ERR_SETTING', hint: fixFor(urls, endpoint, here) },
  );
}

/** The emulated network supports any IPv4 address for this machine; scheme and port must be those of the config. */
function fixFor(urls: readonly string[], endpoint: ApiEndpoint, here: string): string {
  const url = urls
    .flatMap((text) => parseUrl(text) ?? [])
    .find(({ hostname, protocol }) => /^https?:$/.test(protocol) && guestHostProblem(hostname) === undefined);
  if (url === undefined) return `render the config with --api-url ${here}, and embed it`;
  if (hasPortOf(url.href, endpoint)) return `use --guest-host ${url.hostname}, or remove --guest-host`;
  const isSecure = url.protocol === 'https:';
  const isSchemeSame = isSecure === (endpoint.scheme === 'https');
  const tls = isSchemeSame ? '' : isSecure ? ' and --tls' : ' without --tls';
  return `use --listen 127.0.0.1:${portOf(url)}${tls}, or render the config with --api-url ${here}`;
}

export interface ImageConfig {
  /** Empty if the image alone does not show which Ironic the agent calls. */
  readonly urls: readonly string[];
  /** Why `urls` is empty, as a clause. */
  readonly reason?: string;
  /** Of the kernel arguments, compared with the config. */
  readonly issues: readonly Finding[];
}

function unknownIronic(reason: string, issues: readonly Finding[] = []): ImageConfig {
  return { urls: [], reason, issues };
}

/**
 * @param source a path or a URL. Throws CliError if it cannot be read.
 * @returns the error of a config that is missing or invalid
 */
export async function readImageConfig(source: string, io: Io): Promise<ImageConfig | CliError> {
  const kargs = await readImage(source, withoutStdin(io), readLiveArguments);
  if (kargs === undefined) return unknownIronic(`${source} is not a live ISO of CoreOS`);
  // Has precedence over the embedded config.
  if (kargs.some(({ name }) => name === coreosArguments.configUrl.name))
    return unknownIronic(`kernel arguments of ${source} contain the URL of a config`);
  return readConfigFile(source, io, kargs).catch(only(CliError, (error) => error));
}

async function readFolderConfig(
  { manifest, path }: ManifestFolder,
  host: string,
  io: Io,
): Promise<ImageConfig> {
  const files = manifest.files.filter((file) => file.host === host && file.superseded !== true);
  for (const artifact of bootedConfigs) {
    const file = files.find(({ kind }) => kind === artifact);
    if (file !== undefined) return readConfigFile(join(path, file.path), io, []);
  }
  return unknownIronic(`${path} contains no config of ${host}`);
}

/** Config files of a host, the fastest to read first; all contain the same config. */
const bootedConfigs: readonly ConfigArtifact[] = ['ign', 'archive', 'initramfs'];

/** Undefined if the image is not a live ISO of CoreOS; other images may contain an agent in another way. */
async function readLiveArguments(image: OpenImage): Promise<readonly KernelArgument[] | undefined> {
  try {
    const iso = await openLiveIso(image);
    if ((await iso.features()).otherSystem) return undefined;
    const { current = '' } = (await iso.kargsAreas()) ?? {};
    return parseArguments(current);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

async function readConfigFile(
  source: string,
  io: Io,
  kargs: readonly KernelArgument[],
): Promise<ImageConfig> {
  const config = await readConfigOfImage(source, io);
  const lists = confValues(readSubject(config), 'api_url');
  const urls = lists.flatMap((list) => list.split(',')).flatMap((url) => url.trim() || []);
  // The agent configuration has precedence over kernel arguments.
  const inArguments = kargs.flatMap(({ name, value }) =>
    name === 'ipa-api-url' && value !== undefined ? [value] : [],
  );
  const named = urls.length > 0 ? urls : inArguments;
  const issues = checkInsecureArgument(kargs, config);
  if (named.length > 0) return { urls: named, issues };
  const { merge = [], replace } = config.ignition?.config ?? {};
  const isComplete = merge.length === 0 && replace?.source === undefined;
  const what = isComplete ? 'contains no Ironic URL' : 'refers to another config';
  return unknownIronic(`the config in ${source} ${what}`, issues);
}
