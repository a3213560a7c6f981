/**
 * The address of the mock Ironic, its certificate authority, and agent tokens in boot parameters. The configs of hosts
 * contain the Ironic URLs of the inventory, or the URL of this trial, which replaces them before the configs are rendered.
 * For virtual media, Ironic sets an agent token in the agent configuration or as a kernel argument, and a lookup then never
 * returns it. Not supported: tokens in a configuration file of the user (`agent.confFile`).
 */

import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Io } from '../io/io.ts';
import { isValidCertificateName } from './api/createdCertificates.ts';
import { writeFileAtomically } from '../io/files/newFile.ts';
import { isLoopback, type ListenAddress } from '../serve/http/listenAddress.ts';
import { report } from '../io/report/report.ts';
import type { IronicApi } from './api/ironicApi.ts';
import type { TrialPage } from './page/trialPage.ts';
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
import { type ApiPlace, hasPortOf, mayReachApi } from './timeline/addresses.ts';
import { hostSource } from '../hosts/settings/renderHosts.ts';
import { readIronic } from '../hosts/settings/ironicReaders.ts';
import type { RenderOptions } from '../hosts/settings/options.ts';
import { readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import type { ServeSource } from '../serve/source.ts';
import type { CleanupStack } from './trial.ts';

/** Addresses at which other machines may reach a server with this listen address. */
export function reachableAddresses(listen: ListenAddress): string[] {
  if (listen.kind === 'tcp' && listen.host !== undefined) return [listen.host];
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .map(({ address }) => address);
}

/**
 * Unique names and addresses for the certificate.
 * @param guestHost address of this machine in the emulated network
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
    ...[hostname()].filter(isValidCertificateName), // the kernel accepts any text
    'localhost',
  ];
  const plain = names.flat().map((name) => name.replace(/^\[|\]$/g, '').replace(/%.*$/, ''));
  return [...new Set([...plain, '127.0.0.1', '::1'])];
}

/** Reports the URL of the API, and prints or writes the certificate authority. Throws CliError if it cannot be written. */
export async function reportApiAddress(
  { ca, origin, port }: Pick<IronicApi, 'ca' | 'origin' | 'port'>,
  { caOut, qemu }: Pick<TryOptions, 'caOut' | 'qemu'>,
  { io, listen, page }: { readonly listen: TrialSetup['listen']; readonly page: TrialPage; readonly io: Io },
): Promise<void> {
  report(io, {
    severity: 'info',
    message: `mock Ironic API listening on ${origin}; nothing is deployed or written`,
  });
  report(io, { severity: 'info', message: `status page: ${origin}${page.path}` });
  if (isLoopback(listen) && qemu === undefined) {
    report(io, {
      severity: 'info',
      message: 'listening on loopback only; other machines cannot connect',
      hint: `use --listen :${port} to accept connections from other machines`,
    });
  }
  if (ca === undefined) return;
  if (caOut === undefined) {
    report(io, {
      severity: 'info',
      message: 'machines must trust this certificate authority (--ca-file, ironic.caFiles)',
      hint: 'use --ca-out FILE to write it to a file',
    });
    io.stderr.write(ca);
    return;
  }
  await writeFileAtomically(resolve(io.cwd, caOut), ca, { shownPath: caOut });
  report(io, {
    severity: 'info',
    message: `wrote the certificate authority to ${caOut}; machines must trust it (--ca-file, ironic.caFiles)`,
  });
}

interface IronicChoice {
  /** Ironic URL for the configs; undefined to keep the URLs of the inventory. */
  readonly url: string | undefined;
  /** PEM of its certificate authority. */
  readonly ca: string | undefined;
}

/** Returns the function that changes the inventory before configs are rendered. The cleanup deletes its temporary file. */
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

/** Messages about an Ironic URL that replaces those of the inventory. */
export function changeDiagnostics(url: string, place: ApiPlace): Diagnostic[] {
  const { port, scheme } = place;
  const change: Diagnostic = {
    severity: 'info',
    message: `configs contain the Ironic URL ${url} instead of the one in the inventory`,
  };
  if (hasPortOf(url, place)) return [change];
  const other: Diagnostic = {
    severity: 'warning',
    message: `the mock Ironic serves ${scheme} on port ${port}: requests to ${url} reach it only through a proxy or port forwarding`,
    hint: 'use the same port and scheme in --ironic-url and in --listen, --tls',
  };
  return [change, other];
}

/** Warns about hosts with the URL of another Ironic; undefined if all hosts may call the mock Ironic. */
export function otherIronicDiagnostic(urls: IronicUrls, place: ApiPlace): Diagnostic | undefined {
  const elsewhere = [...urls].filter(([, own]) => own.length > 0 && !mayReachApi(own, place));
  const [first, ...others] = elsewhere;
  if (first === undefined) return undefined;
  const [name, [url = '']] = first;
  const who =
    others.length === 0 ? `${name} calls` : `${name} and ${formatCount(others.length, 'other host')} call`;
  return {
    severity: 'warning',
    message: `${who} ${url}, which is not the mock Ironic`,
    hint: `use --ironic-url ${place.scheme}://ADDRESS:${place.port} to set the address of the mock Ironic in their configs`,
  };
}

/** By the name of the host; empty for invalid hosts and for hosts without Ironic. */
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

/** By the name of the host; undefined for invalid hosts, which are reported when they are rendered. */
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
  const hosts = inventory.hosts ?? [];
  return new Map(
    hosts.map((host) => [
      host.name,
      host.problems.length === 0 ? valueOf(hostSource(host, source, io)) : undefined,
    ]),
  );
}

interface OtherIronic {
  /** Base URL. */
  readonly url: string;
  /** Absolute path of its certificate authority; undefined for plain HTTP. */
  readonly caFile: string | undefined;
}

/** The inspection URL is derived from the new URL, and the trusted certificates remain. */
function redirectIronic(read: ServeSource, other: OtherIronic): ServeSource {
  const inventory = redirectInventory(read.inventory, other);
  return {
    ...read,
    inventory,
    source: {
      ...read.source,
      options: redirectOptions(read.source, other),
      files: [inventory.agent],
    },
  };
}

/** A flag has precedence over the environment and over files. */
function redirectOptions(source: RenderSource, { caFile, url }: OtherIronic): RenderOptions {
  const options = { ...source.options, apiUrl: url };
  const trusted = readInputs(source).inputs.get('ironic.caFiles') ?? [];
  // Certificates of the environment replace those of files, and this certificate is one of a file.
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

/** Settings that contain further URLs of the other Ironic. */
const furtherUrls: readonly SettingName[] = ['ironic.inspectionCallbackUrls', 'ironic.inspectorUrls'];

/** @param noCa certificates if the layer sets none; undefined to keep those of the layer below */
function redirectInputs(
  inputs: Inputs,
  { caFile }: OtherIronic,
  noCa: readonly InputValue[] | undefined,
): Inputs {
  const kept = new Map(inputs);
  for (const name of furtherUrls) kept.delete(name);
  const trusted = kept.get('ironic.caFiles') ?? noCa;
  if (caFile === undefined || trusted === undefined) return kept;
  return kept.set('ironic.caFiles', [...trusted, ownAuthority(caFile)]);
}

function ownAuthority(caFile: string): InputValue {
  return { text: caFile, place: '--tls', origin: 'file', isContent: false };
}

/** By the name of the host; without hosts that have no token. */
export function bootTokensOfHosts(read: ServeSource, io: Io): ReadonlyMap<string, string> {
  const tokens = [...readHosts(read, io, tokenOf)];
  return new Map(tokens.flatMap(([name, token]) => (token === undefined ? [] : [[name, token] as const])));
}

/** The agent configuration has precedence over kernel arguments. */
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
