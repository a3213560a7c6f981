/** From inputs to the document of one Ignition config, with everything that is to be said about it. */

import { formatAgentConfig, renderAgentConfig } from '../../agent/agentConfig.ts';
import { createConfCheck, type ConfRemark } from '../../agent/confReport.ts';
import { publicMode } from '../../ignition/dataFile.ts';
import { keyfileFolder } from '../../agent/hostNetwork.ts';
import { listSecrets } from '../../agent/secrets.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { Config } from '../../ignition/config.ts';
import { listReferences } from '../../ignition/references.ts';
import { examineConfig } from '../../ignition/validate.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { withoutIgnored } from '../../io/report/ignoredRules.ts';
import { nameConfPlaces } from './confPlaces.ts';
import { mergeGivenConfigs } from './mergeConfigs.ts';
import { noteSettings } from './noteSettings.ts';
import { createSettingsReader, readInputs, type RenderSource } from './settings.ts';

export interface RenderedConfig {
  readonly document: Buffer;
  /** What of it must not be seen by others, as nouns for a sentence. */
  readonly secrets: readonly string[];
}

/** Undefined, after it has been told why, where the agent would refuse its conf or Ignition the config. */
export type RenderConfig = (source: RenderSource) => Promise<RenderedConfig | undefined>;

/** A renderer for one config or for many with the same options; what they share is read once. */
export function createRenderer(): RenderConfig {
  const readSettings = createSettingsReader();
  const checkAgentConf = createConfCheck();
  let isNoted = false; // of many hosts most settings are those of the first
  return async (source) => {
    const { io, options } = source;
    const collected = readInputs(source);
    if (!isNoted) noteSettings(collected, io);
    isNoted = true;
    const settings = await readSettings(source, collected, (message, hint, rule) => {
      if (rule === undefined || !io.ignored?.includes(rule))
        report(io, { severity: 'warning', message, hint, code: rule });
    });
    const remarks = checkAgentConf(settings, nameConfPlaces(options, collected.inputs));
    if (!reportConf(remarks, io)) return undefined;
    const config = await mergeGivenConfigs(renderAgentConfig(settings), collected.inputs, io);
    const indent = options.pretty === true ? 2 : undefined;
    const document = Buffer.from(formatAgentConfig(config, settings.profile, indent));
    const effective = await checkRendered(document, io);
    if (effective === undefined) return undefined;
    return { document, secrets: listConfigSecrets(settings, effective, collected.inputs) };
  };
}

/** What was merged may be a secret as well: the discovery config of assisted-service brings the pull secret. */
function listConfigSecrets(settings: AgentSettings, config: Config, inputs: Inputs): string[] {
  const secrets = listSecrets(settings);
  if (inputs.has('ignition.discovery')) secrets.push('a discovery config');
  if (secrets.length === 0 && hasRestrictedFile(config)) secrets.push('a file that not everybody may read');
  return secrets;
}

/** A connection may be read by nobody else, secret or not. */
function hasRestrictedFile({ storage = {} }: Config): boolean {
  return (storage.files ?? []).some(({ mode = publicMode, path = '' }) => {
    return (Number(mode) & 0o004) === 0 && !path.startsWith(`${keyfileFolder}/`);
  });
}

function reportConf(remarks: readonly ConfRemark[], io: Io): boolean {
  for (const { severity, place, message, hint, rule } of withoutIgnored(remarks, io))
    report(io, { severity, message: `${place}: ${message}`, hint, code: rule });
  return remarks.every(({ severity }) => severity !== 'error');
}

/**
 * Reports without an excerpt of the document, which may hold secrets. Gives what Ignition makes of it and of the configs
 * that it inlines, which have been checked one by one before; undefined where that is not valid.
 */
async function checkRendered(document: Buffer, io: Io): Promise<Config | undefined> {
  const examined = examineConfig(document);
  const { read } = examined;
  const findings = [...examined.report.findings];
  let config = read.status === 'read' ? read.config : undefined;
  if (read.status === 'read' && listReferences(read.config).length > 0) {
    const { checkInlined } = await import('../input/checkInlined.ts');
    const checked = await checkInlined(document, read, findings);
    findings.push(...checked.findings.filter(({ severity }) => severity === 'error'));
    ({ config } = checked);
  }
  for (const { severity, message, path, hint, rule } of withoutIgnored(findings, io)) {
    report(io, { severity, message, path, hint, code: rule });
  }
  return findings.some(({ severity }) => severity === 'error') ? undefined : config;
}
