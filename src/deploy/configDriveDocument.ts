/** The document of `deploy configdrive`: the options that ask for a config drive, what they stand for, and its text. */

import { checkRequestSize, type ConfigDrive, renderConfigDrive } from './documents/configDrive.ts';
import { checkInstall } from './documents/installSettings.ts';
import { UsageError } from '../core/errors.ts';
import { tellIssues } from './deployIssues.ts';
import type { HostContext } from './hostContext.ts';
import { type InstallOptions, installSettings } from './installOptions.ts';
import type { InventoryFlags } from './inventoryFlags.ts';

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
