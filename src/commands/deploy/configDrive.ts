/** `deploy configdrive`: writes the config drive of an installation as JSON, or those of the hosts of an inventory. */

import { quoteText } from '../../core/foreignText.ts';
import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type DeployCommand, formatMember, isAlone, jsonMapping } from './deployDocument.ts';
import { writeDeployed } from './hosts.ts';
import { reportIssues } from './hostContext.ts';
import { type ConfigDriveOptions, emptyConfigDrive, needsConfigDrive } from './options.ts';
import { checkInstall, checkRequestSize, renderConfigDrive } from './documents/installation.ts';

/**
 * Reports all errors in the options; the exit code is then 1. With an inventory, the config drive of each of its hosts is
 * written.
 */
export async function configDrive(options: ConfigDriveOptions, io: Io): Promise<ExitCode> {
  const { format = 'json' } = options;
  if (format !== 'json') {
    // JSON is the only format that both client and agent support.
    const reason = refusals.get(format) ?? `unsupported format ${quoteText(format)}`;
    throw new UsageError(reason, { hint: 'use json' });
  }
  const make: DeployCommand['make'] = async (host, context) => {
    if (!needsConfigDrive(host)) throw emptyConfigDrive(context.nameOf);
    const drive = renderConfigDrive(await context.readConfig(host), host);
    const issues = [...checkInstall(host), ...checkRequestSize([drive])];
    if (reportIssues(issues, context) !== 0) return undefined;
    const isCompact = isAlone(options) && options.pretty !== true;
    const text = isCompact ? `${JSON.stringify(drive)}\n` : formatMember(host, drive);
    return { text, content: 'secret' };
  };
  return writeDeployed({ options, extension: '.json', frame: jsonMapping(options), make }, io);
}

const refusals: ReadonlyMap<string, string> = new Map([
  ['iso', 'unsupported format "iso": install_coreos does not read ISO config drives'],
  ['base64', 'unsupported format "base64": install_coreos does not read ISO config drives'],
]);
