/** `render`: from the address of Ironic to the Ignition config that runs its agent. Nothing is written that is not valid. */

import { resolve } from 'node:path';
import { formatAgentConfig, renderAgentConfig } from '../../agent/agentConfig.ts';
import { checkAgentConf, type ConfPlaces } from '../../agent/confReport.ts';
import { publicMode } from '../../agent/dataFile.ts';
import { keyfileFolder } from '../../agent/hostNetwork.ts';
import { listSecrets } from '../../agent/secrets.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { Config } from '../../ignition/config.ts';
import { validateConfig } from '../../ignition/validate.ts';
import { writeFileAtomically } from '../../io/outputFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { formatPath, type Severity } from '../../report.ts';
import { printable } from '../../reporters/printable.ts';
import { nameConfPlaces } from './confPlaces.ts';
import { mergeGivenConfigs } from './mergeConfigs.ts';
import type { RenderOptions } from './options.ts';
import { readInputs, readSettings } from './settings.ts';
import { formatShownSettings } from './showSettings.ts';

/**
 * Writes the config to `options.output` or standard output. The exit code is 1, and nothing is written, where the
 * agent would refuse its conf or Ignition the config; wrong flags and files are thrown as errors.
 */
export async function render(options: RenderOptions, io: Io): Promise<ExitCode> {
  if (options.showSettings === true) return showSettings(options, io);
  const settings = await readSettings(options, io, (message, hint) =>
    tell(io, { severity: 'warning', message, hint }),
  );
  if (!reportConf(settings, nameConfPlaces(options, io), io)) return 1;
  const config = await mergeGivenConfigs(renderAgentConfig(settings), options, io);
  const indent = options.pretty === true ? 2 : undefined;
  const document = Buffer.from(formatAgentConfig(config, settings.profile, indent));
  if (!reportConfig(document, io)) return 1;
  if (options.output === undefined) await writeStdout(io, [document]);
  else await writeOutput(options.output, document, listConfigSecrets(settings, config, options), io);
  return 0;
}

async function showSettings(options: RenderOptions, io: Io): Promise<ExitCode> {
  const collected = readInputs(options, io);
  await writeStdout(io, [Buffer.from(formatShownSettings(collected, options))]);
  return 0;
}

/** What was merged may be a secret as well: the discovery config of assisted-service brings the pull secret. */
function listConfigSecrets(settings: AgentSettings, config: Config, { discovery }: RenderOptions): string[] {
  const secrets = listSecrets(settings);
  if (discovery !== undefined) secrets.push('a discovery config');
  if (secrets.length === 0 && hasRestrictedFile(config)) secrets.push('a file that not everybody may read');
  return secrets;
}

/** A connection may be read by nobody else, secret or not. */
function hasRestrictedFile({ storage = {} }: Config): boolean {
  return (storage.files ?? []).some(({ mode = publicMode, path = '' }) => {
    return (Number(mode) & 0o004) === 0 && !path.startsWith(`${keyfileFolder}/`);
  });
}

interface Remark {
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string | undefined;
}

function tell(io: Io, { severity, message, hint }: Remark): void {
  io.stderr.write(`${severity}: ${printable(message)}\n`);
  if (hint !== undefined) io.stderr.write(`hint: ${printable(hint)}\n`);
}

function reportConf(settings: AgentSettings, places: ConfPlaces, io: Io): boolean {
  const remarks = checkAgentConf(settings, places);
  for (const { severity, place, message, hint } of remarks)
    tell(io, { severity, message: `${place}: ${message}`, hint });
  return remarks.every(({ severity }) => severity !== 'error');
}

/** Without an excerpt of the document, which may hold secrets. */
function reportConfig(document: Uint8Array, io: Io): boolean {
  const { valid, findings } = validateConfig(document);
  for (const { severity, message, path, hint } of findings) {
    tell(io, { severity, message: `${message} [${formatPath(path)}]`, hint });
  }
  return valid;
}

async function writeOutput(
  path: string,
  document: Uint8Array,
  secrets: readonly string[],
  io: Io,
): Promise<void> {
  const isSecret = secrets.length > 0;
  await writeFileAtomically(resolve(io.cwd, path), document, isSecret ? { mode: 0o600 } : {});
  const listed = new Intl.ListFormat('en', { type: 'conjunction' });
  const note = isSecret ? `; only its owner can read it, for it holds ${listed.format(secrets)}` : '';
  io.stderr.write(`${printable(path)} written (${document.length} bytes)${note}\n`);
}
