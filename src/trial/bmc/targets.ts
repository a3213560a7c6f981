/** The machines to boot: hosts of an inventory, or one BMC of the command line, with the credentials of their BMCs. */

import { dirname, isAbsolute, join } from 'node:path';
import { CliError, located, UsageError } from '../../core/errors.ts';
import { fillPlaceholders } from '../../core/placeholders.ts';
import { parseCaCertificates } from '../../formats/caCertificates.ts';
import { type Mapping, mappingAt, withoutUndefined } from '../../formats/mapping.ts';
import { readCertificates } from '../../hosts/input/certificates.ts';
import { findHost, type InventoryRead, readInventoryDocument } from '../../hosts/settings/inventory.ts';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { systemClock } from '../../io/clock.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { type BmcAddress, parseBmcAddress } from '../../redfish/bmcAddress.ts';
import { readBmcCredentials } from './bmcCredentials.ts';
import type { BmcLoginOptions, BmcOptions } from './options.ts';

export type BootMethod = 'virtual-media' | 'uefi-http';

export type Target = Readonly<Awaited<ReturnType<typeof readTarget>>>;

/** The key `bmc` of an inventory or a host, with absolute paths or paths from the current folder. */
type BmcSettings = {
  readonly address?: string | undefined;
  readonly credentialsFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly disableCertificateVerification?: boolean | undefined;
};

/** @param names hosts of the inventory. Throws CliError, UsageError. */
export async function readTargets(
  names: readonly string[],
  options: BmcOptions & { readonly all?: boolean; readonly inventory?: string },
  method: BootMethod | undefined,
  io: Io,
): Promise<readonly Target[]> {
  const { bmc, inventory } = options;
  if (inventory === undefined) {
    if (names.length > 0) {
      throw new UsageError('names of hosts require --inventory', {
        hint: 'pass the inventory with --inventory FILE, or the address of a BMC with --bmc URL, --credentials FILE and --iso FILE',
      });
    }
    if (bmc === undefined) {
      throw new UsageError('no machine to boot', {
        hint: 'pass HOST… and --inventory FILE, or --bmc URL, --credentials FILE and --iso FILE',
      });
    }
    const address = bmc.replace(
      /^(https?):\/\//i,
      (_, scheme: string) => `redfish+${scheme.toLowerCase()}://`,
    );
    const settings = { ...givenSettings(options), address };
    return [await readTarget({ mac: options.mac }, settings, new Map(), method, io)];
  }
  if (bmc !== undefined) {
    throw new UsageError('--bmc cannot be combined with --inventory', {
      hint: 'set bmc.address for the host in the inventory, or remove --inventory',
    });
  }
  const read = await readInventoryDocument(inventory, io);
  const hostNames = namesByMac(read.inventory.hosts);
  const targets: Target[] = [];
  if (options.all === true && names.length > 0) {
    throw new UsageError('--all cannot be combined with names of hosts', {
      hint: 'remove --all, or remove the names',
    });
  }
  const chosen = options.all === true ? (read.inventory.hosts ?? []).map(({ name }) => name) : names;
  for (const host of chooseHosts(chosen, read, inventory, io)) {
    const settings = bmcSettingsOf(host, read, inventory, options);
    targets.push(await readTarget(host, settings, hostNames, method, io));
  }
  return targets;
}

export function namesByMac(hosts: readonly InventoryHost[] = []): ReadonlyMap<string, string> {
  return new Map(hosts.flatMap(({ mac, name }) => (mac === undefined ? [] : [[mac, name]])));
}

/** Never more than the named hosts. */
function chooseHosts(
  names: readonly string[],
  { inventory: { hosts = [] } }: InventoryRead,
  file: string,
  io: Io,
): readonly InventoryHost[] {
  if (names.length === 0) {
    throw new UsageError('no machine to boot', {
      hint: 'name hosts of the inventory: boot worker-0 worker-1; or pass --all',
    });
  }
  const chosen = [...new Set(names)].map((name) => findHost(hosts, name, file));
  const problems = chosen.flatMap(({ at, name, problems: own }) =>
    own.map((problem) => ({ ...problem, host: { name, at, state: 'not booted' } })),
  );
  report(io, problems);
  if (problems.length === 0) return chosen;
  throw new CliError('a host is invalid; nothing was booted', {
    code: 'ERR_INVENTORY',
    hint: 'fix the errors above',
  });
}

function givenSettings({ caFile, credentials, insecure }: BmcLoginOptions): BmcSettings {
  return { credentialsFile: credentials, caFile, disableCertificateVerification: insecure };
}

/**
 * Options override the settings of the host, which override those of all hosts. Without `bmc.address`, the address of `deploy` is
 * used.
 */
export function bmcSettingsOf(
  host: InventoryHost,
  { document, inventory }: InventoryRead,
  file: string,
  options: BmcLoginOptions,
): BmcSettings {
  const index = inventory.hosts?.indexOf(host) ?? 0;
  const settings: Mapping = ['deploy', 'bmc']
    .map((key) => ({
      ...mappingAt(document.value, [key]),
      ...mappingAt(document.value, ['hosts', index, key]),
    }))
    .reduce<Mapping>((lower, { bmcAddress, bmcInsecure, ...own }) => {
      const deployed = { address: bmcAddress, disableCertificateVerification: bmcInsecure };
      return { ...lower, ...withoutUndefined(deployed), ...own };
    }, {});
  const text = (key: keyof BmcSettings): string | undefined => {
    const value = settings[key];
    if (typeof value !== 'string') return undefined;
    const context = { subject: `bmc.${key} of ${host.name}`, at: { file }, code: 'ERR_INVENTORY' } as const;
    return located(context, () => fillPlaceholders(value, { ...host, bootMac: host.mac }));
  };
  const pathOf = (key: keyof BmcSettings): string | undefined => {
    const path = text(key);
    return path === undefined || isAbsolute(path) ? path : join(dirname(file), path);
  };
  return {
    address: text('address'),
    credentialsFile: pathOf('credentialsFile'),
    caFile: pathOf('caFile'),
    disableCertificateVerification: settings['disableCertificateVerification'] === true,
    ...withoutUndefined(givenSettings(options)),
  };
}

/**
 * The BMC of a machine, which has no name if the command line describes it.
 * @param hostNames all MAC addresses of the inventory, with the names of their hosts
 * @throws CliError
 */
export async function readTarget(
  { architecture, mac, name }: Partial<Pick<InventoryHost, 'architecture' | 'mac' | 'name'>>,
  settings: BmcSettings,
  hostNames: ReadonlyMap<string, string>,
  method: BootMethod | undefined,
  io: Io,
) {
  const { caFile, credentialsFile, disableCertificateVerification: isInsecure = false } = settings;
  const { host, path, port, scheme, transport } = readAddress(name, settings.address);
  const label = name ?? host;
  const ofScheme: BootMethod = scheme === 'redfish-uefihttp' ? 'uefi-http' : 'virtual-media';
  const macs: readonly string[] = mac === undefined ? [] : [mac];
  return {
    /** Name in the inventory, or the host of the BMC. */
    name: label,
    macs,
    hostNames,
    architecture,
    /** `https://192.0.2.10` */
    origin: `${transport}://${host}${port === undefined ? '' : `:${port}`}`,
    host,
    /** Of the system; may be empty. */
    path,
    method: method ?? ofScheme,
    credentials: await readBmcCredentials(credentialsFile, label, io),
    caFile,
    /** PEM, of `caFile`. */
    ca: caFile === undefined ? undefined : await readCa(caFile, io),
    isInsecure,
  };
}

const MAX_CA = 1024 * 1024;

/** Node.js ignores certificates that it cannot read. */
async function readCa(file: string, io: Io): Promise<string> {
  const bytes = await readUserFile(file, io, { what: 'CA certificates of the BMC', maxBytes: MAX_CA });
  const text = await readCertificates(bytes, file);
  return located(
    { subject: file, code: 'ERR_SETTING' },
    () => parseCaCertificates(text, systemClock.date()).pem,
  );
}

function readAddress(name: string | undefined, text: string | undefined): BmcAddress {
  const source = name === undefined ? '--bmc' : `bmc.address of ${name}`;
  if (text === undefined) {
    throw new CliError(`${source} is missing`, {
      code: 'ERR_INVENTORY',
      hint: 'add it to the inventory: bmc: {address: "redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1"}',
    });
  }
  // Metal3 uses IPMI for addresses without a scheme.
  const address = text.includes('://') ? parseBmcAddress(text) : { problem: 'the scheme is missing' };
  const problem = 'problem' in address ? address : undefined;
  if ('scheme' in address && address.scheme !== 'ipmi' && address.scheme !== 'libvirt') return address;
  const other =
    name === undefined ? 'use https://HOST' : 'use redfish-virtualmedia://HOST/redfish/v1/Systems/ID';
  throw new CliError(`${source} is invalid: ${problem?.problem ?? 'IPMI does not support virtual media'}`, {
    code: name === undefined ? 'ERR_USAGE' : 'ERR_INVENTORY',
    hint: problem?.hint ?? other,
  });
}
