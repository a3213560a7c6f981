/** Configs from settings, as `ironic-coreos render` renders them. */

import type { InputKind, KnownSetting } from '../agent/settingTable.ts';
import type { ProfileName } from '../agent/settings.ts';
import type { Architecture } from '../core/architecture.ts';
import type { Diagnostic } from '../core/finding.ts';
import { CliError } from '../core/errors.ts';
import type { InventoryDocument } from '../hosts/settings/inventoryDocument.ts';
import type { RenderedConfig } from '../hosts/settings/renderConfig.ts';
import type { Io } from '../io/io.ts';
import { call, type CallOptions } from './call.ts';
import { bytesOf } from './content.ts';

/** The settings of docs/settings.md by their names. Files are given by their paths; null is the same as a missing setting. */
export type Settings = {
  readonly [S in KnownSetting as S['name']]?: SettingValue<S['kind']> | null | undefined;
};

type SettingValue<Kind extends InputKind> = Kind extends 'switch'
  ? boolean
  : Kind extends 'list'
    ? string | readonly string[]
    : Kind extends 'texts' | 'files'
      ? readonly string[]
      : Kind extends 'port'
        ? string | number
        : string;

/** An inventory as a value; its schema is `ironic-coreos/schemas/inventory.json`. */
export interface HostInventory {
  readonly profile?: ProfileName;
  readonly ignore?: readonly string[];
  /** The settings of all hosts. */
  readonly agent?: Settings;
  readonly hosts: readonly InventoryEntry[];
  /** Settings of the commands `deploy` and `boot`, which are not used here. */
  readonly deploy?: object;
  readonly bmc?: object;
}

export interface InventoryEntry {
  /** Also the host name, if network and settings provide none. */
  readonly name: string;
  readonly mac?: string;
  readonly architecture?: Architecture;
  readonly ignore?: readonly string[];
  /** Settings of this host, which override those of all hosts. */
  readonly overrides?: Settings;
  /** Paths of files, or the documents themselves; keyfiles by their names. */
  readonly network?: {
    readonly nmstate?: string | object;
    readonly networkData?: string | object;
    readonly keyfiles?: readonly string[] | Readonly<Record<string, string>>;
  };
  readonly deploy?: object;
  readonly bmc?: object;
}

/** As the flags of `ironic-coreos render`. */
export interface RenderCallOptions extends CallOptions {
  readonly profile?: ProfileName;
  /** Host name or IP address of Ironic, for the config of build.py. */
  readonly host?: string;
  /** Registry of the agent image, for the config of build.py. */
  readonly registry?: string;
  readonly tls?: 'off' | 'on' | 'insecure';
  readonly noSshKey?: boolean;
  readonly noCopyNetwork?: boolean;
  /** Path of the program that converts nmstate (default: built in). */
  readonly nmstatectl?: string;
  /** Indents the JSON. */
  readonly pretty?: boolean;
}

export interface Rendered {
  /** The Ignition config as JSON. */
  readonly config: string;
  /** Nouns for the secrets in it, e.g. `a pull secret`; empty without secrets. */
  readonly secrets: readonly string[];
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[];
}

/** @throws ReportedError if a setting or the config is invalid */
export async function render(settings: Settings, options: RenderCallOptions = {}): Promise<Rendered> {
  const { result, diagnostics } = await call(options, async (io) => {
    const { createRenderer } = await import('../hosts/settings/renderConfig.ts');
    const { source } = await readSource(valueDocument('settings', { agent: settings }), options, io);
    const rendered = await createRenderer()({ ...source, settingsPlace: 'in the settings' });
    if (rendered !== undefined) return rendered;
    throw new CliError('the Ignition config is invalid', { code: 'ERR_CONFIG_INVALID' });
  });
  return { ...describeRendered(result), diagnostics };
}

export interface RenderedHost {
  readonly name: string;
  /** Undefined if the host is invalid. */
  readonly config: string | undefined;
  readonly secrets: readonly string[];
  /** Errors of an invalid host, and warnings. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Yields the hosts in their order, one by one.
 * @param inventory YAML or JSON, or a value
 * @throws ReportedError if the inventory is invalid outside its list of hosts, before the first host
 */
export async function* renderHosts(
  inventory: string | Uint8Array | HostInventory,
  options: RenderCallOptions = {},
): AsyncGenerator<RenderedHost, void> {
  const invalid: RenderedHost[] = [];
  const { result: rendered } = await call(options, async (io) => {
    const { renderEach } = await import('../hosts/settings/renderHosts.ts');
    const { readInputs } = await import('../hosts/settings/settings.ts');
    const { startRun } = await import('../hosts/hostRun.ts');
    const read = await readSource(await documentOf(inventory), options, io);
    const { hosts } = read;
    const source = { ...read.source, settingsPlace: 'under "agent" in the inventory' };
    readInputs(source); // errors that concern all hosts
    const run = startRun(
      {
        io,
        done: 'written',
        onProblem: ({ name }, diagnostics) =>
          void invalid.push({ name, config: undefined, secrets: [], diagnostics }),
      },
      hosts.length,
    );
    return renderEach(hosts, source, run);
  });
  for await (const { host, made, remarks } of rendered) {
    yield* invalid.splice(0);
    yield { name: host.name, ...describeRendered(made), diagnostics: remarks };
  }
  yield* invalid;
}

function describeRendered({ document, secrets }: RenderedConfig) {
  return { config: document.toString(), secrets };
}

async function readSource(document: InventoryDocument, options: RenderCallOptions, io: Io) {
  const { readValidInventory, sharedSource } = await import('../hosts/settings/inventory.ts');
  const inventory = await readValidInventory(document, io);
  return { hosts: inventory.hosts ?? [], source: sharedSource(inventory, options, io) };
}

async function documentOf(inventory: string | Uint8Array | HostInventory): Promise<InventoryDocument> {
  const name = 'inventory';
  if (typeof inventory === 'object' && !(inventory instanceof Uint8Array))
    return valueDocument(name, inventory);
  const { parseInventory } = await import('../hosts/settings/inventory.ts');
  return parseInventory(name, bytesOf(inventory, 'inventory'));
}

/** A value has no lines. */
function valueDocument(name: string, value: unknown): InventoryDocument {
  const places = { root: undefined, locate: () => undefined, locateInText: () => undefined };
  return { name, folder: '.', value, ...places };
}
