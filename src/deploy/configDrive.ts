/** `deploy configdrive`: writes the config drive of an installation in the JSON form, or those of the hosts of an inventory. */

import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { type DeployJob, formatMember, isAlone, jsonMapping, writeDeployed } from './deployDocument.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import {
  type InstallOptions,
  installSettings,
  type InventoryFlags,
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
  refuseOtherForms(options.format ?? 'json');
  const make: DeployJob<ConfigDriveOptions>['make'] = async (host, context) => {
    const drive = await readConfigDrive(host, context);
    if (drive === undefined) return undefined;
    const text = isAlone(options)
      ? `${JSON.stringify(drive, undefined, options.pretty === true ? 2 : 0)}\n`
      : formatMember(host.name ?? '', drive);
    return { text, content: 'secret' };
  };
  return writeDeployed({ options, extension: '.json', frame: jsonMapping, make }, io);
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
 * What the options stand for; undefined where they are wrong, after reporting why.
 * @throws UsageError where they say nothing, CliError for a config that cannot be used
 */
async function readConfigDrive(
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
  return reportIssues(issues, io, wording) === 0 ? drive : undefined;
}
