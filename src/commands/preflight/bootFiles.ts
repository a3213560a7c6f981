/** The files that a host boots from and installs, as the inventory and a published folder name them. */

import type { InputValue } from '../../agent/settingInputs.ts';
import { located, UsageError } from '../../core/errors.ts';
import { fillPlaceholders } from '../../core/placeholders.ts';
import { type Mapping, mappingAt } from '../../formats/mapping.ts';
import { parseUrl } from '../../formats/url.ts';
import { parseManifest } from '../../hosts/artifacts/manifest.ts';
import { MANIFEST, parseBaseUrl } from '../../hosts/plan/servedPaths.ts';
import { overrideSettings } from '../../hosts/settings/deployOverrides.ts';
import type { InventoryRead } from '../../hosts/settings/inventory.ts';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { TransferError } from '../../http/client/httpErrors.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import { parseArguments } from '../../kargs/argument.ts';
import { allCoreosArguments } from '../../kargs/coreosArguments.ts';
import type { FetchedFile } from './hostProbes.ts';
import type { ReadAnswer } from './request.ts';

/** The settings below `deploy` and `boot` with a URL, and what it is the URL of. */
const settings = [
  ['deployIso', 'live ISO'],
  ['deployKernel', 'kernel'],
  ['deployRamdisk', 'initramfs'],
  ['bootIso', 'live ISO'],
  ['imageSource', 'image'],
  ['imageChecksum', 'checksum file'],
  ['boot.kernelUrl', 'kernel'],
  ['boot.initramfsUrl', 'initramfs'],
  ['boot.rootfsUrl', 'root filesystem'],
  ['boot.ignitionUrl', 'Ignition config'],
] as const;

/**
 * The files of the settings "deploy" and "boot".
 * @param host undefined for an inventory without hosts
 * @throws CliError if a placeholder has no value
 */
export function listSettingFiles(
  host: InventoryHost | undefined,
  { document, inventory }: InventoryRead,
): readonly FetchedFile[] {
  const { agent, hosts = [] } = inventory;
  const own = host && mappingAt(document.value, ['hosts', hosts.indexOf(host), 'deploy']);
  const deployed: Mapping = overrideSettings(mappingAt(document.value, ['deploy']), { ...own });
  const inputs = new Map<string, readonly InputValue[]>([...agent, ...(host?.readInputs() ?? [])]);
  const read = (name: string): string | undefined => {
    const { [name]: value } = deployed;
    if (typeof value !== 'string' || host === undefined) return inputs.get(name)?.at(-1)?.text;
    return located({ subject: `${name} of ${host.name}`, code: 'ERR_INVENTORY' }, () =>
      fillPlaceholders(value, { ...host, bootMac: host.mac }),
    );
  };
  const list = parseArguments(read('kernelAppendParams') ?? '');
  const texts = [
    ...settings.map(([name, use]) => [use, read(name)] as const),
    ...allCoreosArguments.map(({ fetched = '', name: wanted }) => {
      const argument = list.findLast(({ name }) => fetched !== '' && name === wanted);
      return [fetched, argument?.value] as const;
    }),
  ];
  return texts.flatMap(([use, text = '']) => {
    const url = isRemote(text) ? parseUrl(text) : undefined;
    return url === undefined ? [] : [{ use, url }];
  });
}

/** What machines boot that no inventory lists. */
const OF_ALL = ['images/', 'agents/', 'discovery/'];

/**
 * The folder of `prepare` on its web server: the files of a host by its name, or of machines that are not listed. Undefined for a host
 * that was not prepared.
 * @param get fetches its manifest
 * @throws UsageError for an invalid URL, CliError if there is no such folder
 */
export async function readPublishedFiles(
  baseUrl: string,
  get: (url: URL) => Promise<ReadAnswer>,
): Promise<(name: string | undefined) => readonly FetchedFile[] | undefined> {
  const base = parseBaseUrl(baseUrl);
  const url = `${base}/${MANIFEST}`;
  const hint = 'use the URL at which a web server has the folder of "prepare", and publish all of its files';
  const { body, status } = await get(new URL(url));
  if (status !== 200) throw new TransferError(`${url}: the server returned HTTP status ${status}`, { hint });
  const { files, hosts, layout } = located({ subject: `${url}:`, hint }, () =>
    parseManifest(body.toString('utf8')),
  );
  if (layout !== 'folder') {
    throw new UsageError(`--base-url: hosts fetch no files of the layout ${layout}`, {
      hint: 'remove --base-url, which is for the layout "folder"',
    });
  }
  return (name) => {
    const own = hosts.find((host) => host.name === name);
    if (own === undefined && name !== undefined) return undefined;
    const shared = own === undefined ? OF_ALL : [`images/${own.images}/`, `agents/${own.agentArchive}/`];
    return files
      .filter(({ host, path }) => (own && host === name) || shared.some((folder) => path.startsWith(folder)))
      .filter(({ superseded }) => superseded !== true)
      .map(({ path, size }) => ({ use: 'file', url: new URL(`${base}/${path}`), size }));
  };
}
