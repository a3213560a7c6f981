/** `deploy configdrive`: writes the config drive of an installation, in the JSON form. */

import { checkRequestSize, renderConfigDrive } from '../../deploy/configDrive.ts';
import { checkInstall } from '../../deploy/installSettings.ts';
import { UsageError } from '../../errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeDocument } from './deployDocument.ts';
import { tellIssues } from './deployIssues.ts';
import { type InstallOptions, installSettings, readInstalledConfig } from './installOptions.ts';

/** The options of the command line, under the names that they have there. */
export interface ConfigDriveOptions extends InstallOptions {
  /** `json`, which is the only form that both the client and the agent take. */
  readonly format?: string;
  readonly pretty?: boolean;
  readonly output?: string;
}

/** Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. */
export async function configDrive(options: ConfigDriveOptions, io: Io): Promise<ExitCode> {
  const { ignition, format = 'json', pretty = false } = options;
  refuseOtherForms(format);
  const install = installSettings(options);
  if (ignition === undefined && install.kernelArguments.length === 0 && install.copyNetwork === undefined) {
    throw new UsageError('there is nothing to write into the config drive', {
      hint: 'give --ignition, --append-karg or --copy-network',
    });
  }
  const drive = renderConfigDrive(await readInstalledConfig(ignition, io), install);
  if (tellIssues([...checkInstall(install), ...checkRequestSize([drive])], io) !== 0) return 1;
  const text = `${JSON.stringify(drive, undefined, pretty ? 2 : 0)}\n`;
  await writeDocument(text, { ...options, content: 'secret' }, io);
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
