/**
 * The address of the mock Ironic, and its certificate authority. The configs of hosts contain the Ironic URLs of the inventory, or the
 * URL of this trial, which replaces them before the configs are rendered.
 */

import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import type { Io } from '../../io/io.ts';
import { isValidCertificateName } from './createdCertificates.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import { statsOf } from '../../io/files/fileStates.ts';
import { isLoopbackHost } from '../../formats/hostName.ts';
import { isLoopback, type ListenAddress } from '../../http/server/listenAddress.ts';
import { collectDiagnostics, report } from '../../io/report/report.ts';
import type { IronicApi } from './ironicApi.ts';
import type { TrialOptions } from '../options.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import { formatCount } from '../../formats/messageText.ts';
import { parseUrl, withoutBrackets } from '../../formats/url.ts';
import { UsageError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import type { Diagnostic } from '../../core/finding.ts';
import { type ApiEndpoint, hasPortOf, mayReachApi } from './apiEndpoint.ts';
import { hostSource } from '../../hosts/settings/renderHosts.ts';
import { readIronic } from '../../hosts/settings/ironicUrls.ts';
import { readInputs } from '../../hosts/settings/settings.ts';
import type { ServeSource } from '../../service/source.ts';
import type { TrialPlan } from '../trial.ts';

/** Addresses at which other machines may reach a server with this listen address. A name may have any address of this machine. */
export function reachableAddresses(listen: ListenAddress): string[] {
  const host = hostOf(listen);
  if (host !== undefined && isIP(host) !== 0) return [host];
  const isIpv4Only = listen.kind === 'tcp' && listen.isIpv4Only === true;
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ family }) => !isIpv4Only || family === 'IPv4')
    .filter(({ internal }) => host === undefined || internal === isLoopbackHost(host))
    .map(({ address }) => address);
}

function hostOf(listen: ListenAddress): string | undefined {
  return listen.kind === 'tcp' ? listen.host : undefined;
}

/**
 * Unique names and addresses for the certificate.
 * @param guestHost address of this machine in the emulated network
 */
export function certificateNames(
  { ironicUrl, tlsName = [] }: TrialOptions,
  listen: ListenAddress,
  guestHost: string | undefined,
): string[] {
  const names = [
    ...tlsName,
    parseUrl(ironicUrl ?? '')?.hostname ?? [],
    guestHost ?? [],
    hostOf(listen) ?? [],
    ...reachableAddresses(listen),
    ...[hostname()].filter(isValidCertificateName), // the kernel accepts any text
    'localhost',
  ];
  const plain = names.flat().map((name) => withoutBrackets(name).replace(/%.*$/, ''));
  return [...new Set([...plain, '127.0.0.1', '::1'])];
}

/** Reports the URL of the API, and prints or writes the certificate authority. Throws CliError if it cannot be written. */
export async function reportApiAddress(
  { ca, origin, port }: IronicApi,
  { io, machine, options: { caOut }, setup }: TrialPlan,
): Promise<void> {
  const inform = (message: string, hint?: string): void =>
    void report(io, { severity: 'info', message, hint });
  inform(`mock Ironic API listening on ${origin}; nothing is deployed or written`);
  if (isLoopback(setup.listen) && machine === undefined) {
    inform(
      'listening on loopback only; other machines cannot connect',
      `use --listen :${port} to accept connections from other machines`,
    );
  }
  if (ca === undefined) return;
  if (caOut === undefined) {
    inform(
      'machines must trust this certificate authority (--ca-file, ironic.caFiles)',
      'use --ca-out FILE to write it to a file',
    );
    io.stderr.write(ca);
    return;
  }
  if ((await statsOf(resolve(io.cwd, caOut)))?.isFile() === false) {
    // A pipe would not open before a program reads it.
    throw new UsageError(`--ca-out ${quoteText(caOut)} is not a regular file`, {
      hint: 'use the path of a file, for example --ca-out ca.pem',
    });
  }
  await writeOutput(caOut, ca, io);
  inform(`wrote the certificate authority to ${caOut}; machines must trust it (--ca-file, ironic.caFiles)`);
}

/** Settings that say that there is no Ironic, or that contain further URLs of the other one. */
const ofOtherIronic: readonly SettingName[] = [
  'agent.standalone',
  'ironic.inspectionCallbackUrls',
  'ironic.inspectorUrls',
];

/**
 * The change of the inventory before configs are rendered. The inspection URL is derived from the new URL, and the trusted
 * certificates remain.
 * @param url Ironic URL for the configs; undefined to keep the URLs of the inventory
 * @param ca PEM of its certificate authority; undefined for plain HTTP
 */
export function createIronicChange(
  url: string | undefined,
  ca: string | undefined,
): (read: ServeSource) => ServeSource {
  if (url === undefined) return (read) => read;
  const change = (inputs: Inputs): Inputs => {
    const changed = new Map(inputs);
    for (const name of ofOtherIronic) changed.delete(name);
    changed.set('ironic.apiUrls', [{ text: url, name: '--ironic-url', origin: 'flag' }]);
    if (ca === undefined) return changed;
    const own = { text: ca, name: '--tls', origin: 'file', isContent: true } as const;
    return changed.set('ironic.caFiles', [...(inputs.get('ironic.caFiles') ?? []), own]);
  };
  return ({ inventory, source }) => ({ inventory, source: { ...source, change } });
}

/** Messages about an Ironic URL that replaces those of the inventory. */
export function changeDiagnostics(url: string, endpoint: ApiEndpoint): Diagnostic[] {
  const { port, scheme } = endpoint;
  const change: Diagnostic = {
    severity: 'info',
    message: `configs contain the Ironic URL ${url} instead of the one in the inventory`,
  };
  if (hasPortOf(url, endpoint)) return [change];
  const other: Diagnostic = {
    severity: 'warning',
    message: `the mock Ironic serves ${scheme} on port ${port}: requests to ${url} reach it only through a proxy or port forwarding`,
    hint: 'use the same port and scheme in --ironic-url and in --listen, --tls',
  };
  return [change, other];
}

/** Warns about hosts with the URL of another Ironic; empty if all hosts may call the mock Ironic. */
export function otherIronicDiagnostics(hosts: IronicOfHosts, endpoint: ApiEndpoint): Diagnostic[] {
  const elsewhere = [...hosts].filter(([, urls]) => urls.length > 0 && !mayReachApi(urls, endpoint));
  const [first, ...others] = elsewhere;
  if (first === undefined) return [];
  const [name, urls] = first;
  const who =
    others.length === 0 ? `${name} calls` : `${name} and ${formatCount(others.length, 'other host')} call`;
  const message = `${who} ${urls[0] ?? ''}, which is not the mock Ironic`;
  const hint = `use --ironic-url ${endpoint.scheme}://ADDRESS:${endpoint.port} to set the address of the mock Ironic in their configs`;
  return [{ severity: 'warning', message, hint }];
}

/** The Ironic URLs by the name of the host, empty for a host without Ironic. Invalid hosts are reported when they are rendered. */
export type IronicOfHosts = ReadonlyMap<string, readonly string[]>;

export function ironicOfHosts({ inventory, source }: ServeSource, io: Io): IronicOfHosts {
  const found = new Map<string, readonly string[]>();
  for (const host of inventory.hosts ?? []) {
    if (host.problems.length > 0) continue;
    try {
      const own = hostSource(host, source, collectDiagnostics(io).io);
      const { inputs, profile } = readInputs(own);
      found.set(host.name, readIronic({ ...own, profile, inputs }).apiUrls);
    } catch {
      continue;
    }
  }
  return found;
}
