/** `render`: from the address of Ironic to the Ignition config that runs its agent. Nothing is written that is not valid. */

import { resolve } from 'node:path';
import { renderAgentConfig } from '../../agent/agentConfig.ts';
import { checkAgentConf } from '../../agent/confReport.ts';
import { listSecrets } from '../../agent/secrets.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { validateConfig } from '../../ignition/validate.ts';
import { writeFileAtomically } from '../../io/files.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { formatPath, type Severity } from '../../report.ts';
import { printable } from '../../reporters/printable.ts';
import type { RenderOptions } from './options.ts';
import { readSettings } from './settings.ts';

/**
 * Writes the config to `options.output` or standard output. The exit code is 1, and nothing is written, where the
 * agent would refuse its conf or Ignition the config; wrong flags and files are thrown as errors.
 */
export async function render(options: RenderOptions, io: Io): Promise<ExitCode> {
  const settings = await readSettings(options, io, (message, hint) =>
    tell(io, { severity: 'warning', message, hint }),
  );
  if (!reportConf(settings, options, io)) return 1;
  const indent = options.pretty === true || settings.profile === 'buildpy' ? 2 : 0;
  const document = Buffer.from(formatIgnition(renderAgentConfig(settings), indent));
  if (!reportConfig(document, io)) return 1;
  if (options.output === undefined) await writeStdout(io, [document]);
  else await writeOutput(options.output, document, listSecrets(settings), io);
  return 0;
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

function reportConf(settings: AgentSettings, options: RenderOptions, io: Io): boolean {
  const ironic = options.host === undefined ? '--api-url' : '--host';
  const remarks = checkAgentConf(settings, {
    userConf: options.conf ?? '--conf',
    optionLine: '--option',
    options: {
      api_url: ironic,
      inspection_callback_url: options.host === undefined ? '--inspection-callback-url' : '--host',
      insecure: options.host === undefined ? '--insecure' : '--tls',
      cafile: '--ca-file',
      ntp_server: '--ntp-server',
    },
  });
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
  const note = isSecret ? `; only its owner can read it, for it holds ${secrets.join(' and ')}` : '';
  io.stderr.write(`${printable(path)} written (${document.length} bytes)${note}\n`);
}
