/** Renders one Ignition config from its inputs, and reports all findings. */

import { quoteShellWord } from '../../formats/shell.ts';
import { formatAgentConfig, renderAgentConfig } from '../../agent/agentConfig.ts';
import { listConfigSecrets, listEmbeddedSecrets } from '../../agent/embeddedSecrets.ts';
import { KEYFILE_FOLDER } from '../../agent/files.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { Config } from '../../ignition/config.ts';
import { checkInlined } from '../input/checkInlined.ts';
import { examineConfig } from '../../ignition/validate.ts';
import type { Io } from '../../io/io.ts';
import {
  type Diagnostic,
  diagnosticAt,
  type Finding,
  hasErrors,
  limitFindings,
  type Path,
} from '../../core/finding.ts';
import { report, withoutRepeats } from '../../io/report/report.ts';
import {
  createSettingsReader,
  readInputs,
  type RenderInputs,
  type RenderSource,
  type SharedSettings,
} from './settings.ts';
import { type SettingName } from '../../agent/settingTable.ts';
import { ASSISTED_UNIT_NAME, withDiscovery } from '../../agent/profiles/assisted.ts';
import { ICC_SPEC_VERSION } from '../../agent/profiles/icc.ts';
import { once } from '../../core/once.ts';
import type { Need } from '../../network/reachability.ts';
import type { Connection } from '../../network/connection.ts';
import { CliError, formatSource } from '../../core/errors.ts';
import { mergeConfigs } from '../../ignition/merge.ts';
import { remarkMerge } from '../../ignition/mergeRemarks.ts';
import { translateConfig } from '../../ignition/translate.ts';
import { newestOf, versionNamed } from '../../ignition/versions.ts';
import { effectiveOf, resolveConfig } from '../../ignition/effectiveConfig.ts';
import { type ValidConfig, readConfigFiles, reportFindings, translateTo } from '../input/configFiles.ts';
import { pathIn } from './reading.ts';
import { keyfilesOf } from '../../agent/hostNetwork.ts';
import { groupBy } from '../../core/lists.ts';
import { createOrigins, type MergedConfig, type Original } from './origins.ts';
import { listFetched, listNeeds } from '../../agent/contacts.ts';
import { lintAgent } from '../../agent/lint/lintConfig.ts';
import type { LintFinding } from '../../agent/lint/lintRule.ts';
import { lintNetwork } from '../../agent/lint/network.ts';
import { readSubject } from '../../agent/lint/subject.ts';
import type { CheckUnits } from '../input/unitTools.ts';

export interface RenderedConfig {
  readonly document: Buffer;
  readonly settings: AgentSettings;
  /** The same object for configs that differ only in the names and networks of their hosts. */
  readonly shared: SharedSettings;
  /** The secrets in it, as nouns for a sentence. */
  readonly secrets: readonly string[];
  /** Whether it contains keyfiles, also those that cannot be read as `connections`. */
  readonly hasNetwork: boolean;
  readonly connections: readonly Connection[];
  readonly fetched: () => readonly Need[];
}

/**
 * Returns undefined, after reporting the errors, if the agent would reject its conf or Ignition the config.
 * @param collected the inputs of the source, if they have been collected
 */
export type RenderConfig = (
  source: RenderSource,
  collected?: RenderInputs,
) => Promise<RenderedConfig | undefined>;

/**
 * A renderer for one or many configs with the same options. Shared inputs are read once.
 * @param checkUnits asks systemd and podman about the units and quadlets of the user; by default they are not asked
 */
export function createRenderer(checkUnits?: CheckUnits): RenderConfig {
  const readSettings = createSettingsReader();
  let isNoted = false; // most hosts have the settings of the first one
  const known = new WeakMap<SharedSettings, Checked>();
  return async (source, collected = readInputs(source)) => {
    const { io, options } = source;
    const { inputs } = collected;
    if (!isNoted && io.note !== undefined) logSettings(collected, io.note);
    isNoted = true;
    const { settings, shared } = await readSettings(source, collected);
    const isMerged = [inputs.get('ignition.merge'), inputs.get('ignition.discovery')].some(
      (values = []) => values.length > 0,
    );
    const rendered = renderAgentConfig(settings);
    const { config, sources } = isMerged
      ? await mergeGivenConfigs(rendered, inputs, io)
      : { config: rendered, sources: [{ config: rendered }] };
    const indent = options.pretty === true ? 2 : undefined;
    const document = Buffer.from(formatAgentConfig(config, settings.profile, indent));
    const hasOwnUnits = isMerged || hasOwnParts(settings);
    let checked = hasOwnUnits ? undefined : known.get(shared);
    const ofIgnition = checked?.ofIgnition ?? checkRendered(document);
    const version = versionNamed(config.ignition?.version);
    if (hasErrors(report(io, ofIgnition)) || version === undefined) return undefined;
    // Later checks read the first one of many; the values of a WeakMap stay in memory for long.
    const effective = checked
      ? resolveConfig({ config, version })
      : effectiveOf(document, { config, version });
    const hasNetwork = keyfilesOf(effective.config).length > 0;
    const originOf = createOrigins(config, effective, sources);
    const reported = (findings: readonly LintFinding[], isOwn: (path: Path) => boolean): Original[] =>
      findings
        .map((finding) => ofSetting(finding, originOf(finding), inputs))
        .filter(
          ({ document: merged, finding: { at, path, severity }, isOfSetting = false }) =>
            isOfSetting || (severity !== 'info' && (merged !== undefined || at !== undefined || isOwn(path))),
        );
    if (checked === undefined) {
      const ofUnits = hasOwnUnits ? ((await checkUnits?.(effective.config)) ?? []) : [];
      // Keys and certificates are checked where they are read.
      const isOwnUnit = ([section]: Path): boolean => hasOwnUnits && section === 'systemd';
      const ofConfig = reported(lintAgent(effective.config, { now: new Date() }), isOwnUnit);
      // Left out: what systemd says of units that this program writes itself.
      const ofUser = ofUnits
        .map(originOf)
        .filter(({ document: merged, finding: { at } }) => merged !== undefined || at !== undefined);
      checked = {
        ofIgnition,
        problems: [...ofConfig, ...ofUser],
        secrets: new Map(),
        needs: once(() => listNeeds(readSubject(effective.config))),
        fetched: once(() => listFetched(readSubject(effective.config))),
      };
      known.set(shared, checked);
    }
    const network = hasNetwork ? lintNetwork(effective.config, checked.needs) : undefined;
    const ofNetwork = reported(network?.findings ?? [], () => true);
    // Of the host itself, only its keyfiles may contain some.
    const ofKeyfiles = String(
      listEmbeddedSecrets(
        new Map(settings.keyfiles.map(({ name, text }) => [`${KEYFILE_FOLDER}/${name}`, Buffer.from(text)])),
      ),
    );
    const secrets = checked.secrets.get(ofKeyfiles) ?? listConfigSecrets(config, document);
    checked.secrets.set(ofKeyfiles, secrets);
    const problems = [...checked.problems, ...ofNetwork].filter(
      ({ finding: { rule } }) => io.ignored?.includes(rule) !== true,
    );
    reportParts(problems, io);
    if (hasErrors(problems.map(({ finding }) => finding))) return undefined;
    const connections = network?.connections ?? [];
    return { document, settings, shared, secrets, hasNetwork, connections, fetched: checked.fetched };
  };
}

/** What is found out once for hosts that differ only in their names and networks, whose files and units have the same form. */
interface Checked {
  readonly ofIgnition: readonly Diagnostic[];
  readonly problems: readonly Original[];
  /** Of whole configs, by the secrets of their keyfiles. */
  readonly secrets: Map<string, readonly string[]>;
  readonly needs: () => readonly Need[];
  readonly fetched: RenderedConfig['fetched'];
}

/** What Ignition's rules find, without an excerpt of the document, which may contain secrets. */
function checkRendered(document: Buffer): Diagnostic[] {
  const { read, report: own } = examineConfig(document);
  const configs = read.status === 'read' ? checkInlined(document, read, own.findings) : undefined;
  const inlined = configs?.findings.filter(({ severity }) => severity === 'error') ?? [];
  return [...own.findings, ...inlined].map(withoutPath);
}

/** Whether the user wrote parts of the config that are not checked where they are read. */
function hasOwnParts({ files, podmanArgs, pullArgs, units }: AgentSettings): boolean {
  return [...files, ...units, ...pullArgs, ...podmanArgs].length > 0;
}

/** A problem of a part that the user neither wrote nor merged, as a problem of the setting with the value. */
function ofSetting({ from, place, settingName }: LintFinding, problem: Original, inputs: Inputs): Original {
  const { document, finding } = problem;
  const setting = settingName && { name: settingName, at: undefined, ...inputs.get(settingName)?.at(-1) };
  const source = from ?? setting;
  if (document !== undefined || finding.at !== undefined || source === undefined) return problem;
  const { at, name } = source;
  const own = place === undefined ? finding.message : finding.message.slice(`${place}: `.length);
  const message = name === '' ? own : `${name}: ${own}`;
  return { finding: { ...finding, at, message, path: [] }, isOfSetting: true };
}

/** Reports each problem of the result at the input that made the part. */
function reportParts(problems: readonly Original[], io: Io): void {
  for (const [document, own] of groupBy(problems, (problem) => problem.document)) {
    const findings = limitFindings(own.map(({ finding }) => finding));
    if (document !== undefined) reportFindings(findings, document, io);
    else report(io, withoutRepeats(findings.map(withoutPath)));
  }
}

/** A place in a file of the user replaces the path in the rendered config. */
function withoutPath(finding: Finding): Diagnostic {
  const { at, path } = finding;
  return { ...diagnosticAt(finding, at), path: at === undefined && path.length > 0 ? path : undefined };
}

/** Logs sources only: values may be secrets. `--show-settings` prints values and masks secrets. */
function logSettings({ inputs, profile, unread }: RenderInputs, note: (text: string) => void): void {
  note(`profile: ${profile}`);
  for (const [name, values] of inputs) {
    const places = new Set(
      values.map((value) =>
        value.origin === 'environment' ? `environment variable ${value.name}` : formatSource(value),
      ),
    );
    if (places.size > 0) note(`${name}: from ${[...places].join(', ')}`);
  }
  for (const { name, reason } of unread) note(`${name} is set, but ${reason}`);
}

/**
 * The rendered config, merged with the discovery config and those of `ignition.merge`.
 * @throws CliError for configs that are missing or invalid, or have a version that cannot be merged
 */
async function mergeGivenConfigs(rendered: Config, inputs: Inputs, io: Io) {
  const [discovery] = filesOf(inputs, 'ignition.discovery');
  const merge = filesOf(inputs, 'ignition.merge');
  const [filesDir] = filesOf(inputs, 'ignition.filesDir');
  const discovered = discovery === undefined ? [] : await readConfigFiles([discovery], io);
  let config = discovered.reduce((below, document) => mergeDiscovery(below, document, io), rendered);
  const documents = await readConfigFiles(merge, io, { filesDir });
  for (const document of documents) config = mergeOver(config, document, filesDir, io);
  const given = [...discovered, ...documents].map((document) => ({ config: document.config, document }));
  const sources: readonly MergedConfig[] = [{ config: rendered }, ...given];
  return { config, sources };
}

function filesOf(inputs: Inputs, name: SettingName): string[] {
  return (inputs.get(name) ?? []).map((value) => pathIn(value, value.text));
}

function mergeDiscovery(rendered: Config, document: ValidConfig, io: Io): Config {
  const discovery = translateTo(ICC_SPEC_VERSION, document, io);
  const hasService = discovery.systemd?.units?.some(({ name }) => name === ASSISTED_UNIT_NAME) === true;
  if (!hasService) {
    throw new CliError(`--discovery: ${document.name} has no unit ${ASSISTED_UNIT_NAME}`, {
      code: 'ERR_SETTING',
      hint: 'pass the discovery config of assisted-service; use --merge for any other config',
    });
  }
  return withDiscovery(rendered, discovery);
}

/** The result has the newer of the two versions, so that no setting is lost. */
function mergeOver(parent: Config, document: ValidConfig, filesDir: string | undefined, io: Io): Config {
  const own = versionNamed(parent.ignition?.version) ?? ICC_SPEC_VERSION;
  const version = newestOf([own, document.version]);
  const raised = translateConfig(parent, { from: own, to: version });
  const below = raised.status === 'translated' ? raised.config : parent; // only older versions refuse
  const above = translateTo(version, document, io);
  if (version !== own) {
    const local = filesDir === undefined ? '' : ` --files-dir ${quoteShellWord(filesDir)}`;
    report(io, {
      severity: 'info',
      message: `${document.name} raises the version of the rendered config from ${own} to ${version}: images whose Ignition does not support ${version} do not boot with it`,
      hint: `if the image is older, run: ironic-coreos ignition translate --to ${own}${local} ${quoteShellWord(document.name)}`,
    });
  }
  reportFindings(remarkMerge(below, above, version), document, io);
  return mergeConfigs(below, above, version);
}
