/** Reads the settings of a network boot from flags, environment and inventory, with the source of each setting. */

import { directHosts } from '../../agent/proxy.ts';
import { collectInputs, type Inputs, type InputValue } from '../../agent/settingInputs.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import type { BootProxy, BootSettings } from '../../kargs/bootSettings.ts';
import { CliError, type InputSource, UsageError } from '../../core/errors.ts';
import type { OptionsOf, Sparse } from '../../io/commandLine.ts';
import type { Io } from '../../io/io.ts';
import type { Path } from '../../core/finding.ts';
import { report, withoutRepeats } from '../../io/report/report.ts';
import { readIronic } from '../settings/ironicUrls.ts';
import type { SettingOptions } from '../settings/options.ts';
import { inputOf, inputsOf, read, type Reading } from '../settings/reading.ts';
import { readProxy } from '../settings/settings.ts';
import { type InventoryLayers, type InventoryPlace, readInventoryLayers } from '../settings/inventory.ts';
import { findUrlAddressProblem } from '../../agent/machineAddress.ts';

/** The options for settings, named as on the command line. */
export type BootInputOptions = Sparse<
  OptionsOf<
    SettingOptions<'boot' | 'host.consoles' | 'host.nmstate' | 'host.keyfiles' | 'proxy' | 'ironic.apiUrls'>
  >
> & {
  /** False for a ramdisk with another system (default: true). */
  readonly coreos?: boolean;
};

export interface BootInputs {
  readonly settings: BootSettings;
  /** The source of the setting with this path, for messages; undefined if it is not set. */
  readonly sourceOf: (path: Path) => InputSource | undefined;
  /** The settings before they are converted, also those of the host's network. */
  readonly reading: Reading;
}

/** @throws UsageError for invalid values, or if no URL is given */
export async function readBootInputs(
  options: BootInputOptions & InventoryPlace,
  io: Io,
): Promise<BootInputs> {
  const inputs = bootInputsOf(options, await readInventoryLayers(options, io), io);
  const { settings, sourceOf: source } = inputs;
  const urls = (['kernelUrl', 'initramfsUrl', 'rootfsUrl', 'ignitionUrl'] as const).map(
    (name) => [source([name]) ?? { name }, settings[name] ?? ''] as const,
  );
  if (settings.system === 'coreos' && urls.every(([, url]) => url === '')) {
    throw new UsageError('no URL is given', {
      hint: 'pass --rootfs-url URL and --ignition-url URL, or --base-url URL of the folder with the ramdisk files, or --no-coreos for a ramdisk that is not CoreOS',
    });
  }
  reportUrlAddresses(urls, io);
  return inputs;
}

/** Like {@link readBootInputs}, for an inventory that has been read; the result may have no URL. @throws UsageError */
export function bootInputsOf(
  options: BootInputOptions,
  { files, profile }: InventoryLayers,
  io: Io,
): BootInputs {
  // Kernel arguments are the same for all profiles, and the default profile supports all of their settings.
  const { inputs } = collectInputs({ flags: { ...options }, env: io.env, profile: 'default', files });
  const reading: Reading = {
    profile: profile === 'buildpy' ? 'default' : profile, // that profile has no setting for the URL of Ironic
    inputs,
    options: {},
    io,
  };
  const system = options.coreos === false ? 'other' : 'coreos';
  return { settings: readSettings(reading, system), sourceOf: (path) => sourceOf(path, inputs), reading };
}

function readSettings(reading: Reading, system: 'coreos' | 'other'): BootSettings {
  if (system === 'other') refuseCoreosSettings(reading);
  const base = inputOf(reading, 'boot.baseUrl');
  const start = base && startOfUrls(base);
  const kernelUrl = inputOf(reading, 'boot.kernelUrl')?.text ?? (start && `${start}.kernel`);
  const initramfsUrl = inputOf(reading, 'boot.initramfsUrl')?.text ?? (start && `${start}.initramfs`);
  const usualRootfsUrl = system === 'coreos' && start !== undefined ? `${start}.rootfs` : undefined;
  const rootfsUrl = inputOf(reading, 'boot.rootfsUrl')?.text ?? usualRootfsUrl;
  const ignitionUrl = inputOf(reading, 'boot.ignitionUrl')?.text;
  return {
    system,
    kernelUrl,
    initramfsUrl,
    rootfsUrl,
    ignitionUrl,
    embedded: read(reading, 'boot.embedded'),
    ip: textsOf(reading, 'boot.ip'),
    consoles: textsOf(reading, 'host.consoles'),
    ipaParameters: textsOf(reading, 'boot.ipaParameters'),
    extraArguments: textsOf(reading, 'boot.kernelArguments'),
    proxy: readBootProxy(reading),
  };
}

/** @throws UsageError for a setting that has no effect on a ramdisk that is not CoreOS */
function refuseCoreosSettings(reading: Reading): void {
  const embedded = read(reading, 'boot.embedded') ? inputOf(reading, 'boot.embedded') : undefined;
  const given = inputOf(reading, 'boot.rootfsUrl') ?? inputOf(reading, 'boot.ignitionUrl') ?? embedded;
  if (given === undefined) return;
  throw new UsageError(`${given.name} cannot be combined with --no-coreos: only CoreOS supports it`, {
    hint: `remove ${given.name}, or remove --no-coreos`,
    at: given.at,
  });
}

function textsOf(reading: Reading, name: SettingName): string[] {
  return inputsOf(reading, name).map(({ text }) => text);
}

/** With the file names of ironic-image, whose endings are those of the parts. */
function startOfUrls({ at, name, text: baseUrl }: InputValue): string {
  if (/[?#]/.test(baseUrl)) {
    throw new CliError(`${name}: file names cannot be added to a URL with a query or a fragment`, {
      code: 'ERR_SETTING',
      hint: 'use --kernel-url, --initramfs-url and --rootfs-url',
      at,
    });
  }
  return `${baseUrl.replace(/\/$/, '')}/ironic-python-agent`;
}

/** The agent also uses the list of hosts without proxy, so the hosts of Ironic must be in it. */
function readBootProxy(reading: Reading): BootProxy | undefined {
  // For the initramfs, not for the unit of the profile.
  const proxy = readProxy({ ...reading, profile: 'default' });
  if (proxy.http === undefined && proxy.https === undefined) return undefined;
  const isStandalone = read(reading, 'agent.standalone');
  if (inputOf(reading, 'ironic.apiUrls') !== undefined || isStandalone) {
    return { ...proxy, noProxy: directHosts({ ...readIronic(reading), proxy }) };
  }
  report(reading.io, {
    severity: 'warning',
    message: 'the URL of Ironic is unknown, so the agent may connect to it through the proxy',
    hint: 'set it with --api-url, IRONIC_BASE_URL or ironic.apiUrls in the inventory',
  });
  return proxy;
}

function sourceOf([setting = '', index]: Path, inputs: Inputs): InputSource | undefined {
  const names = (index === 'noProxy' ? ['proxy.none' as const] : settingNames[String(setting)]) ?? [];
  const source = (name: SettingName): InputSource | undefined => {
    const values = inputs.get(name) ?? [];
    return typeof index === 'number' ? values[index] : values.at(-1);
  };
  return names.map(source).find((found) => found !== undefined);
}

/** The settings that a boot setting may come from; the first one that is given counts. */
const settingNames: Readonly<Record<string, readonly SettingName[]>> = {
  kernelUrl: ['boot.kernelUrl', 'boot.baseUrl'],
  initramfsUrl: ['boot.initramfsUrl', 'boot.baseUrl'],
  rootfsUrl: ['boot.rootfsUrl', 'boot.baseUrl'],
  ignitionUrl: ['boot.ignitionUrl'],
  embedded: ['boot.embedded'],
  ip: ['boot.ip'],
  consoles: ['host.consoles'],
  ipaParameters: ['boot.ipaParameters'],
  extraArguments: ['boot.kernelArguments'],
  proxy: ['proxy.http', 'proxy.https'],
};

/** Reports URLs that hosts cannot reach. The same warning is reported once. */
export function reportUrlAddresses(
  urls: Iterable<readonly [source: InputSource, url: string]>,
  io: Io,
): void {
  const remarks = [...urls].flatMap(([{ at, name }, url]) => {
    const problem = findUrlAddressProblem(url);
    if (problem === undefined) return [];
    const { message, hint } = problem;
    return [{ severity: 'warning', at, message: `${name}: ${message}`, hint } as const];
  });
  report(io, withoutRepeats(remarks));
}
