/** How `render --diff` writes changes: as text for people, or as JSON for programs. */

import { compareConfigs, type SettingChange } from '../agent/deployed/describeConfig.ts';
import type { TextOrJson } from '../io/report/choices.ts';
import { printable } from '../io/report/terminalText.ts';
import { CliError } from '../core/errors.ts';
import type { Config } from '../ignition/config.ts';
import { readEffectiveConfig } from '../ignition/effectiveConfig.ts';
import type { RenderedConfig } from '../hosts/settings/renderConfig.ts';

/** How changes are written to standard output. */
export interface DiffForm {
  /** Of one host; `host` is there where there are several. */
  readonly format: (changes: readonly SettingChange[], host?: string) => readonly string[];
  readonly start: string;
  readonly separator: string;
  readonly end: string;
}

/** By their names on the command line. */
export const diffForms: Readonly<Record<TextOrJson, DiffForm>> = {
  text: { format: formatText, start: '', separator: '', end: '' },
  json: { format: formatJson, start: '[', separator: ',', end: '\n]\n' },
};

function formatText(changes: readonly SettingChange[], host?: string): string[] {
  const indent = host === undefined ? '' : '  ';
  const rows = changes.map(({ setting, deployed, rendered }) => {
    const lines = [...deployed.map((value) => `- ${value}`), ...rendered.map((value) => `+ ${value}`)];
    return [setting, ...lines.map((line) => `  ${line}`)]
      .map((line) => `${indent}${printable(line)}\n`)
      .join('');
  });
  return host === undefined || rows.length === 0 ? rows : [`${printable(host)}\n`, ...rows];
}

function formatJson(changes: readonly SettingChange[], host?: string): string[] {
  const ofHost = host === undefined ? {} : { host };
  return changes.map((change) => `\n  ${JSON.stringify({ ...ofHost, ...change })}`);
}

/** By setting; throws CliError where the rendered document cannot be read. */
export function compareRendered(
  deployed: Config,
  rendered: Pick<RenderedConfig, 'document'>,
): readonly SettingChange[] {
  return compareConfigs(deployed, configOf(rendered));
}

/** As a reader of the document would see it, and not as it was before it was written. */
function configOf({ document }: Pick<RenderedConfig, 'document'>): Config {
  const read = readEffectiveConfig(document);
  if (read.status === 'read') return read.config;
  throw new CliError(`the rendered config cannot be read: ${read.finding.message}`);
}
