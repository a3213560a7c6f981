/**
 * Where machines find the mock Ironic, and what they have to trust for it. The hosts of an inventory know Ironic by the URLs
 * of the inventory, or by that of this trial, for which the inventory is changed before configs are rendered. Agent tokens
 * are those that hosts bring along, in the conf of the agent or as a kernel argument: Ironic puts them there for virtual
 * media, and then never answers them. Left out: tokens in a conf file of the user's own (`agent.confFile`).
 */

import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Io } from '../io/io.ts';
import { isCertifiable } from './api/madeCertificates.ts';
import { writeFileAtomically } from '../io/files/newFile.ts';
import { isLoopback, type ListenAddress } from '../serve/http/listenAddress.ts';
import { report } from '../io/report/report.ts';
import type { IronicApi } from './api/ironicApi.ts';
import type { TrialSetup, TryOptions } from './setup.ts';
import { formatOptionLines } from '../agent/conf.ts';
import { inputParsers } from '../agent/inputParsers.ts';
import type { Inventory } from '../hosts/settings/inventoryDocument.ts';
import type { Inputs, InputValue } from '../agent/settingInputs.ts';
import type { SettingName } from '../agent/settingTable.ts';
import { ipaArgument } from '../boot/ipaParameter.ts';
import { CliError } from '../core/errors.ts';
import { parseOsloConfig } from '../formats/osloConfig.ts';
import { formatCount } from '../formats/messageText.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { type ApiPlace, hasPortOf, mayLeadHere } from './timeline/addresses.ts';
import { listHosts } from '../hosts/settings/renderHosts.ts';
import { readIronic } from '../hosts/settings/ironicReaders.ts';
import type { RenderOptions } from '../hosts/settings/options.ts';
import { readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import type { ServeSource } from '../serve/source.ts';
import type { CleanupStack } from './trial.ts';

/** Addresses by which others may reach what listens there. */
export function reachableAddresses(listen: ListenAddress): string[] {
  if (listen.kind === 'tcp' && listen.host !== undefined) return [listen.host];
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .map(({ address }) => address);
}

/**
 * Names and addresses for the certificate, each once.
 * @param guestHost by which an emulated machine reaches this one
 */
export function certificateNames(
  { ironicUrl, tlsName = [] }: TryOptions,
  listen: ListenAddress,
  guestHost: string | undefined,
): string[] {
  const given = ironicUrl !== undefined && URL.canParse(ironicUrl) ? [new URL(ironicUrl).hostname] : [];
  const names = [
    ...tlsName,
    ...given,
    guestHost ?? [],
    ...reachableAddresses(listen),
    ...[hostname()].filter(isCertifiable), // which may be anything
    'localhost',
  ];
  const plain = names.flat().map((name) => name.replace(/^\[|\]$/g, '').replace(/%.*$/, ''));
  return [...new Set([...plain, '127.0.0.1', '::1'])];
}

/** Says where it listens, and gives the authority to who needs it. Throws CliError where that cannot be written. */
export async function reportApiAddress(
  { ca, origin, port }: Pick<IronicApi, 'ca' | 'origin' | 'port'>,
  { caOut, qemu }: Pick<TryOptions, 'caOut' | 'qemu'>,
  { listen, io }: { readonly listen: TrialSetup['listen']; readonly io: Io },
): Promise<void> {
  report(io, {
    severity: 'info',
    message: `Ironic's API is played at ${origin}: nothing is deployed, cleaned or written to any disk`,
  });
  if (isLoopback(listen) && qemu === undefined) {
    report(io, {
      severity: 'info',
      message: 'only programs of this machine reach it',
      hint: `use --listen :${port} for other machines`,
    });
  }
  if (ca === undefined) return;
  if (caOut === undefined) {
    report(io, {
      severity: 'info',
      message: 'machines have to trust this authority, for --ca-file or ironic.caFiles',
      hint: 'to have it in a file: --ca-out FILE',
    });
    io.stderr.write(ca);
    return;
  }
  await writeFileAtomically(resolve(io.cwd, caOut), ca, { shownPath: caOut });
  report(io, {
    severity: 'info',
    message: `${caOut} is the authority to trust, for --ca-file or ironic.caFiles`,
  });
}

interface IronicChoice {
  /** URL that the configs are to have in place of their own; undefined where they are as the inventory says. */
  readonly url: string | undefined;
  /** PEM of the authority that it needs. */
  readonly ca: string | undefined;
}

/** What changes the inventory before it is rendered. A file that it needs is gone at the end. */
export async function createIronicChange(
  { ca, url }: IronicChoice,
  cleanup: CleanupStack,
): Promise<(read: ServeSource) => ServeSource> {
  if (url === undefined) return (read) => read;
  const caFile = ca === undefined ? undefined : await writeAuthority(ca, cleanup);
  return (read) => redirectIronic(read, { url, caFile });
}

async function writeAuthority(ca: string, cleanup: CleanupStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ironic-coreos-try-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'ca.pem');
  await writeFile(path, ca);
  return path;
}

/** What is said of a URL that configs are given. */
export function changeDiagnostics(url: string, place: ApiPlace): Diagnostic[] {
  const { port, scheme } = place;
  const change: Diagnostic = {
    severity: 'info',
    message: `configs name ${url} as Ironic, in place of what the inventory says`,
  };
  if (hasPortOf(url, place)) return [change];
  const other: Diagnostic = {
    severity: 'warning',
    message: `this Ironic speaks ${scheme} on port ${port}: who calls ${url} gets here only through something in between`,
    hint: 'give the same port and scheme to --ironic-url and --listen, --tls',
  };
  return [change, other];
}

/** Hosts that will call somebody else, if nothing is done about it; undefined where all may call here. */
export function elsewhereDiagnostic(urls: IronicUrls, place: ApiPlace): Diagnostic | undefined {
  const elsewhere = [...urls].filter(([, own]) => own.length > 0 && !mayLeadHere(own, place));
  const [first, ...others] = elsewhere;
  if (first === undefined) return undefined;
  const [name, [url = '']] = first;
  const who =
    others.length === 0 ? `${name} calls` : `${name} and ${formatCount(others.length, 'other')} call`;
  return {
    severity: 'warning',
    message: `${who} ${url}, which is not here`,
    hint: `to have this address in their configs instead: --ironic-url ${place.scheme}://ADDRESS:${place.port}`,
  };
}

/** By the name of the host; none for those that are wrong, or on their own. */
export type IronicUrls = ReadonlyMap<string, readonly string[]>;

export function ironicUrlsOfHosts(read: ServeSource, io: Io): IronicUrls {
  return new Map([...readHosts(read, io, urlsOf)].map(([name, urls]) => [name, urls ?? []]));
}

function urlsOf(source: RenderSource): readonly string[] {
  const { inputs, profile } = readInputs(source);
  const { io, options } = source;
  const parse = inputParsers[profile];
  return readIronic({ profile, inputs, options, parse, io, warn: () => undefined }).apiUrls;
}

/** By the name of the host; undefined for those that are invalid, which is reported when they are rendered. */
function readHosts<T>(
  { inventory, source }: ServeSource,
  io: Io,
  read: (source: RenderSource) => T,
): ReadonlyMap<string, T | undefined> {
  const valueOf = (host: RenderSource): T | undefined => {
    try {
      return read(host);
    } catch (error) {
      if (error instanceof CliError) return undefined;
      throw error;
    }
  };
  const hosts = listHosts(inventory.hosts ?? [], source);
  return new Map(
    hosts.map(({ name, problems, readSource }) => [
      name,
      problems.length === 0 ? valueOf(readSource(io)) : undefined,
    ]),
  );
}

interface OtherIronic {
  /** Base URL. */
  readonly url: string;
  /** Absolute path of the authority that its certificate needs; undefined for plain HTTP. */
  readonly caFile: string | undefined;
}

/** Where inspection data go is derived from the URL again, and certificates that are trusted already stay so. */
function redirectIronic(read: ServeSource, other: OtherIronic): ServeSource {
  const inventory = redirectInventory(read.inventory, other);
  return {
    ...read,
    inventory,
    source: {
      ...read.source,
      options: redirectOptions(read.source, other),
      files: [inventory.agent],
      ...(inventory.hosts !== undefined && { hosts: inventory.hosts }),
    },
  };
}

/** A flag counts more than a file and the environment do. */
function redirectOptions(source: RenderSource, { caFile, url }: OtherIronic): RenderOptions {
  const options = { ...source.options, apiUrl: url };
  const trusted = readInputs(source).inputs.get('ironic.caFiles') ?? [];
  // Certificates that the environment names would take the place of those in files, this one among them.
  const isOfFiles = trusted.every(({ origin }) => origin === 'file');
  if (caFile === undefined || isOfFiles) return options;
  return { ...options, caFile: [...trusted.map(({ text }) => text), caFile] };
}

function redirectInventory({ agent, hosts, ...rest }: Inventory, other: OtherIronic): Inventory {
  return {
    ...rest,
    agent: redirectInputs(agent, other, []),
    ...(hosts !== undefined && {
      hosts: hosts.map((host) => ({
        ...host,
        readInputs: () => redirectInputs(host.readInputs(), other, undefined),
      })),
    }),
  };
}

/** Settings that would lead to the other Ironic still. */
const beside: readonly SettingName[] = ['ironic.inspectionCallbackUrls', 'ironic.inspectorUrls'];

/** @param noCa certificates where the layer names none; undefined where those of the layer below count then */
function redirectInputs(
  inputs: Inputs,
  { caFile }: OtherIronic,
  noCa: readonly InputValue[] | undefined,
): Inputs {
  const kept = new Map(inputs);
  for (const name of beside) kept.delete(name);
  const trusted = kept.get('ironic.caFiles') ?? noCa;
  if (caFile === undefined || trusted === undefined) return kept;
  return kept.set('ironic.caFiles', [...trusted, ownAuthority(caFile)]);
}

function ownAuthority(caFile: string): InputValue {
  return { text: caFile, place: '--tls', origin: 'file', isContent: false };
}

/** By the name of the host; hosts without one are not there. */
export function bootTokensOfHosts(read: ServeSource, io: Io): ReadonlyMap<string, string> {
  const tokens = [...readHosts(read, io, tokenOf)];
  return new Map(tokens.flatMap(([name, token]) => (token === undefined ? [] : [[name, token] as const])));
}

/** The conf counts, and a kernel argument where it says nothing. */
function tokenOf(source: RenderSource): string | undefined {
  const { inputs } = readInputs(source);
  const texts = (name: SettingName): string[] => (inputs.get(name) ?? []).map(({ text }) => text);
  return (
    tokenOfConf(texts('agent.options')) ??
    tokenOfArguments([
      ...texts('boot.ipaParameters').map(ipaArgument),
      ...texts('boot.kernelArguments').flatMap((text) => text.split(/\s+/)),
    ])
  );
}

function tokenOfConf(lines: readonly string[]): string | undefined {
  const { document } = parseOsloConfig(formatOptionLines(lines));
  const options = document.entries.filter((entry) => entry.kind === 'option');
  return options.findLast(({ name }) => name === 'agent_token')?.value || undefined;
}

const ARGUMENT = 'ipa-agent-token=';

function tokenOfArguments(list: readonly string[]): string | undefined {
  return list.findLast((text) => text.startsWith(ARGUMENT))?.slice(ARGUMENT.length) || undefined;
}
