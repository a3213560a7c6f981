/**
 * What the rules of the agent lint share: the parts of a config that they need, extracted once (files with contents, units
 * with drop-ins and commands, and the commands that pull and start the container of the agent), and their findings.
 *
 * Ignition accepts all that these rules report. Errors are for what certainly keeps a unit or the agent from starting, warnings for
 * what may keep it from working or discloses a secret, notes for what may be intended.
 */

import { decodeDataUrl } from '../../formats/dataUrl.ts';
import { cutText } from '../../formats/goText.ts';
import { decodeGzip } from '../../formats/gzip.ts';
import { readDefaults } from '../../formats/osloConfig.ts';
import { type ExecWord, splitEnvironmentLine, splitExecLine } from '../../formats/systemdQuoting.ts';
import { readSystemdLines } from '../../formats/unitFile.ts';
import { parseUrl } from '../../formats/url.ts';
import { ifWellFormed } from '../../core/errors.ts';
import type { Config, File, Resource, Unit } from '../../ignition/config.ts';
import { listReferences } from '../../ignition/inlinedConfig.ts';
import { walkConfig } from '../../ignition/walkConfig.ts';
import { configType } from '../../ignition/schema.ts';
import { newestVersion } from '../../ignition/versions.ts';
import { isMapping } from '../../formats/mapping.ts';
import type { Path } from '../../core/finding.ts';
import { bindMounts, optionValues, type PodmanCommand, readPodmanCommand } from './podmanCommand.ts';

/**
 * The system that applies a config: a live system, which runs in memory from an ISO or from network boot, or a system
 * that is installed on a disk.
 */
export type TargetSystem = 'live' | 'installed';

export interface LintSubject {
  readonly config: Config;
  readonly files: readonly LintedFile[];
  /** The first file of each path. */
  readonly filesByPath: ReadonlyMap<string, LintedFile>;
  /** The configuration files of the agent, with the inline values in [DEFAULT]: the last value of each name. */
  readonly confs: readonly (LintedFile & { readonly defaults: ReadonlyMap<string, string> })[];
  /** False if the config merges or is replaced by another config, which may contain what is missing here. */
  readonly isComplete: boolean;
  readonly units: readonly LintedUnit[];
  readonly activeUnits: readonly LintedUnit[];
  /** The units that start the agent. */
  readonly agentUnits: readonly LintedUnit[];
  /** The commands of all units that start the agent. */
  readonly runs: readonly UnitCommand[];
}

export interface LintedFile {
  /** On the host. */
  readonly name: string;
  readonly file: File;
  /** In the config. */
  readonly path: Path;
  /** Path to the source of the contents. */
  readonly source: Path;
}

interface LintedUnit {
  readonly name: string;
  readonly unit: Unit;
  /** In the config. */
  readonly path: Path;
  /** Settings of the unit and its drop-ins, in the order in which systemd reads them. */
  readonly settings: readonly UnitSetting[];
  /** By their names in lower case, because programs accept both cases. */
  readonly variables: ReadonlyMap<string, string>;
  /** The podman commands of the effective settings ExecStartPre=, ExecStart= and ExecStartPost=, in this order. */
  readonly commands: readonly UnitCommand[];
  /** Those of the commands that start the agent: `podman run` and similar. */
  readonly runs: readonly UnitCommand[];
  /** Those of the commands that pull an image. */
  readonly pulls: readonly UnitCommand[];
}

export interface UnitSetting {
  readonly unitName: string;
  readonly section: string;
  readonly name: string;
  /** Continued lines are joined. */
  readonly value: string;
  /** The commands of an `Exec…=` setting; none if a quote is not closed. */
  readonly commands: readonly (readonly ExecWord[])[];
  /** Of the contents that contain the setting. */
  readonly path: Path;
  readonly line: number;
}

export interface UnitCommand {
  readonly setting: UnitSetting;
  readonly podman: PodmanCommand;
}

const MAX_CONTENT_BYTES = 16 * 1024 * 1024;

/**
 * The words of podman commands that are read in one config: about 50 commands of the agent. Checks compare each command, mount and
 * image with files, registries and credentials, so without a limit a config of one megabyte would stop a service for minutes.
 */
const MOST_PODMAN_WORDS = 2000;

/** The subject of a config, which is read once. */
export function readSubject(config: Config): LintSubject {
  const subject = subjects.get(config) ?? readParts(config);
  subjects.set(config, subject);
  return subject;
}

const subjects = new WeakMap<Config, LintSubject>();

function readParts(config: Config): LintSubject {
  const budget = { words: MOST_PODMAN_WORDS };
  const units = (config.systemd?.units ?? []).map((unit, index) => readHostUnit(unit, index, budget));
  const files = (config.storage?.files ?? []).map((file, index) => {
    const path = ['storage', 'files', index];
    return { name: file.path ?? '', file, path, source: [...path, 'contents', 'source'] };
  });
  return {
    config,
    files,
    filesByPath: new Map(files.toReversed().map((file) => [file.name, file])),
    confs: files
      .filter(({ name }) => isConfPath(name))
      .map((file) => ({ ...file, defaults: readDefaults(textOf(file)) })),
    isComplete: listReferences(config).length === 0,
    units,
    activeUnits: units.filter(({ unit }) => unit.mask !== true),
    agentUnits: units.filter(({ runs }) => runs.length > 0),
    runs: units.flatMap(({ runs }) => runs),
  };
}

/** The usual name of the unit of the agent. */
export function isAgentUnitName(name: string): boolean {
  return /^ironic-(?:python-)?agent(?:@[^/]*)?\.service$/.test(name);
}

/** The inline bytes of a resource; undefined if they are remote or cannot be decoded. */
export function readContents({ source = '', compression = '' }: Resource = {}): Uint8Array | undefined {
  if (!source.startsWith('data:')) return undefined;
  return ifWellFormed(() => {
    const data = decodeDataUrl(source);
    return compression === 'gzip' ? decodeGzip(data, MAX_CONTENT_BYTES) : data;
  });
}

/** The inline contents as text; undefined like {@link readContents}. */
export function readInlineText(resource?: Resource): string | undefined {
  const bytes = readContents(resource);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

/** The inline contents of a file, without what is appended; empty like {@link readContents}. */
export function textOf({ file }: LintedFile): string {
  return readInlineText(file.contents) ?? '';
}

/** Values in [DEFAULT] of all confs of the config; the order in which the agent reads the confs is unknown. */
export function confValues({ confs }: LintSubject, option: string): string[] {
  return confs.flatMap(({ defaults }) => defaults.get(option) ?? []);
}

/** The URLs in these values; not `mdns`, with which the agent finds Ironic in its network. */
export function confUrls(subject: LintSubject, option: string): URL[] {
  const texts = confValues(subject, option).flatMap((value) => value.split(','));
  return texts.flatMap((text) => parseUrl(text.trim()) ?? []);
}

/** All contents that the config contains or that Ignition fetches for it. */
export function listResources(config: Config): { readonly resource: Resource; readonly path: Path }[] {
  const found: { resource: Resource; path: Path }[] = [];
  for (const { path, type, value } of walkConfig(configType(newestVersion), config)) {
    const isResource = typeof type === 'object' && type.name === 'Resource';
    if (isResource && isMapping(value)) found.push({ resource: value, path: [...path] });
  }
  return found;
}

/** The parts of the configuration of chrony that are inline, with the paths of their sources. */
export function chronyParts({ files }: LintSubject): { name: string; text: string; path: Path }[] {
  const chrony = files.filter(({ name }) => /^\/etc\/chrony(?:\.conf$|\.d\/)/.test(name));
  return chrony.flatMap(({ file: { append = [], contents }, name, path, source }) => [
    { name, text: readInlineText(contents) ?? '', path: source },
    ...append.map((resource, index) => {
      return { name, text: readInlineText(resource) ?? '', path: [...path, 'append', index, 'source'] };
    }),
  ]);
}

function isConfPath(path: string): boolean {
  return (
    path.endsWith('/ironic-python-agent.conf') || /^\/etc\/ironic-python-agent(?:\.d)?\/.*\.conf$/s.test(path)
  );
}

function readHostUnit(unit: Unit, index: number, budget: { words: number }): LintedUnit {
  const { contents = '', dropins = [], name = '' } = unit;
  const path = ['systemd', 'units', index];
  const others = dropins.map((dropin, number) => {
    return { ...dropin, path: [...path, 'dropins', number, 'contents'] };
  });
  // systemd reads drop-ins in the order of their names.
  const ordered = others.toSorted(({ name: a = '' }, { name: b = '' }) => Number(a > b) - Number(a < b));
  const settings = [{ contents, path: [...path, 'contents'] }, ...ordered].flatMap((part) =>
    readSettings(name, part.contents ?? '', part.path),
  );
  const commands = startNames
    .flatMap((start) => effectiveSettings(settings, start))
    .flatMap((setting) =>
      setting.commands.flatMap((words) => {
        const podman = words.length > budget.words ? undefined : readPodmanCommand(words);
        if (podman === undefined) return [];
        budget.words -= words.length;
        return [{ setting, podman }];
      }),
    );
  const pulls = commands.filter(({ podman }) => podman.verb === 'pull');
  const runs = commands.filter(isAgentRun);
  return { name, unit, path, settings, variables: readVariables(settings), commands, runs, pulls };
}

function readSettings(unitName: string, text: string, path: Path): UnitSetting[] {
  const settings: UnitSetting[] = [];
  let section: string | undefined;
  for (const line of readSystemdLines(text)) {
    if (line.kind === 'section') section = line.name;
    if (line.kind !== 'assignment' || section === undefined) continue;
    const { line: number, name, value } = line;
    const commands = (name.startsWith('Exec') && ifWellFormed(() => splitExecLine(value))) || [];
    settings.push({ unitName, section, name, value, path, line: number, commands });
  }
  return settings;
}

/** The effective settings of one name: an empty one resets those before it. */
export function effectiveSettings(settings: readonly UnitSetting[], name: string): UnitSetting[] {
  let own: UnitSetting[] = [];
  for (const setting of settings) {
    if (setting.name !== name) continue;
    if (setting.value === '') own = [];
    else own.push(setting);
  }
  return own;
}

function readVariables(settings: readonly UnitSetting[]): ReadonlyMap<string, string> {
  const words = effectiveSettings(settings, 'Environment').flatMap(
    ({ value }) => ifWellFormed(() => splitEnvironmentLine(value)) ?? [],
  );
  return new Map(
    words.map(({ text }) => {
      const [name, value] = cutText(text, '=');
      return [name.toLowerCase(), value];
    }),
  );
}

const startNames = ['ExecStartPre', 'ExecStart', 'ExecStartPost'];

/** The container of the agent is recognized by its name, its conf, its image or the unit that starts it. */
function isAgentRun({ setting, podman }: UnitCommand): boolean {
  if (podman.verb === 'pull') return false;
  return (
    isAgentUnitName(setting.unitName) ||
    optionValues(podman, 'name').some(({ text }) => /^ironic-(?:python-)?agent$/.test(text)) ||
    bindMounts(podman).some(({ source }) => isConfPath(source)) ||
    /(?:^|\/)ironic-(?:python-agent|agent|ipa)[^/]*$/.test(podman.operands[0]?.text ?? '')
  );
}
