/** `deploy configdrive`: writes the config drive of an installation as JSON, or those of the hosts of an inventory. */

import type { Mapping } from '../../formats/mapping.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { checkInstall, renderConfigDrive } from './documents/installation.ts';
import { type HostContext, reportIssues } from './hostContext.ts';
import { byHost, formatValue, type HostDocument, writeDeployed } from './hosts.ts';
import { emptyConfigDrive, needsConfigDrive } from './readOptions.ts';
import type { ConfigDriveOptions, DeployOptions } from './options.ts';

export async function configDrive(options: ConfigDriveOptions, io: Io): Promise<ExitCode> {
  const { pretty = false } = options;
  const write = (hosts: readonly HostDocument<Mapping>[]): string =>
    pretty || hosts[0]?.host !== undefined
      ? formatValue(byHost(hosts), 'json')
      : `${JSON.stringify(byHost(hosts))}\n`;
  return writeDeployed({ options, extension: '.json', make: makeDrive, write, isSecret: () => true }, io);
}

async function makeDrive(host: DeployOptions, context: HostContext): Promise<Mapping | undefined> {
  if (!needsConfigDrive(host)) throw emptyConfigDrive(context.nameOf);
  const document = renderConfigDrive(await context.readConfig(host), host);
  return reportIssues(checkInstall(host), context) === 0 ? document : undefined;
}
