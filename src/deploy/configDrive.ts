/** `deploy configdrive`: writes the config drive of an installation in the JSON form, or those of the hosts of an inventory. */

import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { formatMember, jsonMapping, writeDocument } from './deployDocument.ts';
import { contextOfFlags, type HostContext, tellIssues } from './hostContext.ts';
import {
  type InstallOptions,
  installSettings,
  type InventoryFlags,
  isFolder,
  refuseWithoutInventory,
} from './options.ts';
import {
  checkInstall,
  checkRequestSize,
  type ConfigDrive,
  renderConfigDrive,
} from './documents/installation.ts';

/**
 * Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. With an inventory
 * that of each of its hosts is written.
 */
export async function configDrive(options: ConfigDriveOptions, io: Io): Promise<ExitCode> {
  refuseWithoutInventory(options);
  const { inventory, pretty = false } = options;
  refuseOtherForms(options.format ?? 'json');
  if (inventory !== undefined) {
    return configDrives({ ...options, inventory }, io);
  }
  const drive = await readConfigDrive(options, contextOfFlags(io));
  if (drive === undefined) return 1;
  await writeDocument(formatConfigDrive(drive, pretty), { ...options, content: 'secret' }, io);
  return 0;
}

const refusals: ReadonlyMap<string, string> = new Map([
  ['yaml', 'the client of Ironic reads a config drive as JSON only'],
  ['iso', 'install_coreos refuses a config drive that is rendered already'],
  ['base64', 'install_coreos refuses a config drive that is rendered already'],
]);

function refuseOtherForms(format: string): void {
  if (format === 'json') return;
  const reason = refusals.get(format) ?? `unknown format: ${JSON.stringify(format)}`;
  throw new UsageError(reason, { hint: 'use json' });
}

/** The options of the command line, under the names that they have there. */
export interface ConfigDriveOptions extends InventoryFlags, InstallOptions {
  /** `json`, which is the only form that both the client and the agent take. */
  readonly format?: string;
  readonly pretty?: boolean;
  readonly output?: string;
}

/**
 * What the options stand for; undefined where they are wrong, after telling why.
 * @throws UsageError where they say nothing, CliError for a config that cannot be used
 */
export async function readConfigDrive(
  options: InstallOptions,
  { io, wording, readConfig }: HostContext,
): Promise<ConfigDrive | undefined> {
  const { ignition } = options;
  const install = installSettings(options);
  if (ignition === undefined && install.kernelArguments.length === 0 && install.copyNetwork === undefined) {
    throw new UsageError('there is nothing to write into the config drive', {
      hint: 'give --ignition, --append-karg or --copy-network',
    });
  }
  const drive = renderConfigDrive(await readConfig(ignition, io), install);
  const issues = [...checkInstall(install), ...checkRequestSize([drive])];
  return tellIssues(issues, io, wording) === 0 ? drive : undefined;
}

/** A config drive as Ironic takes it. */
export function formatConfigDrive(drive: ConfigDrive, pretty: boolean): string {
  return `${JSON.stringify(drive, undefined, pretty ? 2 : 0)}\n`;
}

/** Ends with 1 where a host is wrong; the others are written. */
export async function configDrives(
  options: ConfigDriveOptions & { readonly inventory: string },
  io: Io,
): Promise<ExitCode> {
  const { pretty = false } = options;
  const { writeHosts } = await import('./hosts.ts');
  return writeHosts(
    {
      options,
      extension: '.json',
      frame: jsonMapping,
      make: async (host, context) => {
        const drive = await readConfigDrive(host, context);
        if (drive === undefined) return undefined;
        const text = isFolder(options) ? formatConfigDrive(drive, pretty) : formatMember(host.name, drive);
        return { text, content: 'secret' };
      },
    },
    io,
  );
}
