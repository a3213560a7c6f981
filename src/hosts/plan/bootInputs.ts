/** From flags, environment and inventory to the settings of a network boot, and where each of them comes from. */

import { inputParsers } from '../../agent/inputParsers.ts';
import { directHosts } from '../../agent/proxy.ts';
import { collectInputs, type Inputs, type InputValue } from '../../agent/settingInputs.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import type { BootProxy, BootSettings } from '../../boot/bootSettings.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import type { Path } from '../../core/finding.ts';
import { report, withoutRepeats } from '../../io/report/report.ts';
import { readProxy } from '../settings/hostReaders.ts';
import { readIronic } from '../settings/ironicReaders.ts';
import { joinLists } from '../settings/settings.ts';
import type { OptionsNamed } from '../settings/options.ts';
import { isSwitchedOn, type Reading, valueOf, valuesOf } from '../settings/reading.ts';
import { type InventoryLayers, type InventoryPlace, readInventoryLayers } from '../settings/inventory.ts';
import { findUrlAddressProblem } from '../../agent/machineAddress.ts';

/** The options that are settings, under the names that they have on the command line. */
export type BootOptions = OptionsNamed<'boot' | 'host.consoles' | 'proxy' | 'ironic.apiUrls'>;

export interface BootInputs {
  readonly settings: BootSettings;
  /** How the user calls what is at this path of the settings; undefined where it comes from nowhere. */
  readonly placeOf: (path: Path) => string | undefined;
}

/** Throws UsageError for what cannot be read, or where no URL is given at all. */
export async function readBootInputs(options: BootOptions & InventoryPlace, io: Io): Promise<BootInputs> {
  const inputs = bootInputsOf(options, await readInventoryLayers(options, io), io);
  const { settings, placeOf: place } = inputs;
  const urls = (['kernelUrl', 'initramfsUrl', 'rootfsUrl', 'ignitionUrl'] as const).map(
    (name) => [place([name]) ?? name, settings[name] ?? ''] as const,
  );
  reportUrlAddresses(urls, io);
  return inputs;
}

/** The same where the inventory has been read. Throws UsageError as well. */
export function bootInputsOf(options: BootOptions, { files, profile }: InventoryLayers, io: Io): BootInputs {
  // Kernel arguments are alike for all profiles, and this one takes every setting that they are made from.
  const { inputs } = collectInputs({ flags: { ...options }, env: io.env, profile: 'default', files });
  const counting = dropBeaten(inputs);
  const { noProxy, proxyUrl } = inputParsers.default;
  const reading = joinLists({
    profile: profile === 'buildpy' ? 'default' : profile, // with that one, Ironic has no setting
    inputs: counting,
    options: {},
    // A proxy is meant for the initramfs here, and not for the unit that the profile writes.
    parse: { ...inputParsers[profile], noProxy, proxyUrl },
    io,
    warn: (message, hint) => report(io, { severity: 'warning', message, hint }),
  });
  return { settings: readSettings(reading), placeOf: (path) => placeOf(path, counting) };
}

type UrlName = 'kernelUrl' | 'initramfsUrl' | 'rootfsUrl';

const urlSettings = {
  kernelUrl: 'boot.kernelUrl',
  initramfsUrl: 'boot.initramfsUrl',
  rootfsUrl: 'boot.rootfsUrl',
} as const satisfies Record<UrlName, SettingName>;

/** What says the same as another setting, or its contrary, counts unless the other comes from a stronger place. */
const rivals = [
  ...Object.values(urlSettings).map((name) => ['boot.baseUrl', name] as const),
  ['boot.embedded', 'boot.ignitionUrl'],
  ['boot.ignitionUrl', 'boot.embedded'],
] as const satisfies readonly (readonly [SettingName, SettingName])[];

const strength = { flag: 2, environment: 1, file: 0 } as const;

function dropBeaten(inputs: Inputs): Inputs {
  const beaten = rivals.flatMap(([winner, loser]) => {
    const [won, lost] = [inputs.get(winner)?.at(-1), inputs.get(loser)?.at(-1)];
    const isBeaten = won !== undefined && lost !== undefined && strength[won.origin] > strength[lost.origin];
    return isBeaten ? [loser] : [];
  });
  return new Map([...inputs].filter(([name]) => !beaten.some((loser) => loser === name)));
}

function readSettings(reading: Reading): BootSettings {
  const urls = readUrls(reading);
  const ignition = valueOf(reading, 'boot.ignitionUrl');
  if (Object.keys(urls).length === 0 && ignition === undefined) {
    throw new UsageError('no URL is given', {
      hint: 'give --rootfs-url URL and --ignition-url URL, or --base-url URL of the folder with the ramdisk files',
    });
  }
  const proxy = readBootProxy(reading);
  return {
    ...urls,
    ...(ignition !== undefined && { ignitionUrl: ignition.text }),
    embedded: isSwitchedOn(reading, 'boot.embedded'),
    ip: textsOf(reading, 'boot.ip'),
    consoles: textsOf(reading, 'host.consoles'),
    ipaParameters: textsOf(reading, 'boot.ipaParameters'),
    extraArguments: textsOf(reading, 'boot.kernelArguments'),
    ...(proxy !== undefined && { proxy }),
  };
}

function textsOf(reading: Reading, name: SettingName): string[] {
  return valuesOf(reading, name).map(({ text }) => text);
}

function readUrls(reading: Reading): Partial<Record<UrlName, string>> {
  const base = valueOf(reading, 'boot.baseUrl');
  const kernelUrl = valueOf(reading, urlSettings.kernelUrl)?.text;
  const initramfsUrl = valueOf(reading, urlSettings.initramfsUrl)?.text;
  const rootfsUrl = valueOf(reading, urlSettings.rootfsUrl)?.text;
  return {
    ...(base !== undefined && filesBelow(base)),
    ...(kernelUrl !== undefined && { kernelUrl }),
    ...(initramfsUrl !== undefined && { initramfsUrl }),
    ...(rootfsUrl !== undefined && { rootfsUrl }),
  };
}

/** The names under which ironic-image serves the ramdisk. */
function filesBelow({ place, text: baseUrl }: InputValue): Record<UrlName, string> {
  if (/[?#]/.test(baseUrl)) {
    throw new CliError(`${place}: file names cannot be added to a URL with a query or a fragment`, {
      code: 'ERR_SETTING',
      hint: 'give --kernel-url, --initramfs-url and --rootfs-url',
    });
  }
  const start = `${baseUrl.replace(/\/$/, '')}/ironic-python-agent`;
  return {
    kernelUrl: `${start}.kernel`,
    initramfsUrl: `${start}.initramfs`,
    rootfsUrl: `${start}.rootfs`,
  };
}

/** The agent will see the list of direct hosts, so Ironic has to be in it. */
function readBootProxy(reading: Reading): BootProxy | undefined {
  const proxy = readProxy(reading);
  if (proxy.http === undefined && proxy.https === undefined) return undefined;
  const isStandalone = isSwitchedOn(reading, 'agent.standalone');
  if (valueOf(reading, 'ironic.apiUrls') !== undefined || isStandalone) {
    return { ...proxy, noProxy: directHosts({ ...readIronic(reading), proxy }) };
  }
  reading.warn(
    'where Ironic is was not said, and the agent may go through the proxy to reach it',
    'say it with --api-url, by IRONIC_BASE_URL or in the inventory',
  );
  return proxy;
}

function placeOf([setting = '', index]: Path, inputs: Inputs): string | undefined {
  const names = places[String(setting)] ?? [];
  const place = (name: SettingName): string | undefined => {
    const values = inputs.get(name) ?? [];
    return (typeof index === 'number' ? values[index] : values.at(-1))?.place;
  };
  return names.map(place).find((found) => found !== undefined);
}

/** By name in the settings of the boot; of several, the first that is given. */
const places: Readonly<Record<string, readonly SettingName[]>> = {
  kernelUrl: [urlSettings.kernelUrl, 'boot.baseUrl'],
  initramfsUrl: [urlSettings.initramfsUrl, 'boot.baseUrl'],
  rootfsUrl: [urlSettings.rootfsUrl, 'boot.baseUrl'],
  ignitionUrl: ['boot.ignitionUrl'],
  embedded: ['boot.embedded'],
  ip: ['boot.ip'],
  consoles: ['host.consoles'],
  ipaParameters: ['boot.ipaParameters'],
  extraArguments: ['boot.kernelArguments'],
  proxy: ['proxy.http', 'proxy.https'],
};

/** URLs by where they were given; the same is said once. */
export function reportUrlAddresses(urls: Iterable<readonly [place: string, url: string]>, io: Io): void {
  const remarks = [...urls].flatMap(([place, url]) => {
    const problem = findUrlAddressProblem(url);
    if (problem === undefined) return [];
    const { message, hint } = problem;
    return [{ severity: 'warning', message: `${place}: ${message}`, hint } as const];
  });
  report(io, ...withoutRepeats(remarks));
}
