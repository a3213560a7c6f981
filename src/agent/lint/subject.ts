/**
 * The parts of a config that the checks need, extracted once: files with contents, units with drop-ins and commands, and
 * the commands that start the container of the agent.
 */

import { decodeDataUrl } from '../../formats/dataUrl.ts';
import { decodeGzipMembers } from '../../formats/gzip.ts';
import { splitExecLine } from '../../formats/systemdQuoting.ts';
import { readSystemdLines, visitUnit } from '../../formats/unitFile.ts';
import { ifWellFormed } from '../../core/errors.ts';
import type { Config, File, Resource, Unit } from '../../ignition/config.ts';
import { listReferences } from '../../ignition/inlinedConfig.ts';
import type { Path } from '../../core/finding.ts';
import { bindMounts, optionValues, type PodmanCommand, readPodmanCommand } from './podmanCommand.ts';

export interface LintSubject {
  readonly config: Config;
  /** False if the config merges or is replaced by another config, which may contain what is missing here. */
  readonly isComplete: boolean;
  readonly files: readonly LintedFile[];
  /** The first file of each path. */
  readonly filesByPath: ReadonlyMap<string, LintedFile>;
  readonly units: readonly LintedUnit[];
  /** `podman run` and similar commands that start the agent. */
  readonly runs: readonly UnitCommand[];
  /** The configuration files of the agent. */
  readonly confs: readonly LintedFile[];
}

export interface LintedFile {
  /** On the host. */
  readonly name: string;
  readonly file: File;
  /** In the config. */
  readonly path: Path;
}

export interface LintedUnit {
  readonly name: string;
  readonly unit: Unit;
  /** In the config. */
  readonly path: Path;
  /** Settings of the unit and its drop-ins, in the order in which systemd reads them; empty if they cannot be parsed. */
  readonly settings: readonly UnitSetting[];
  readonly commands: readonly UnitCommand[];
}

export interface UnitSetting {
  readonly section: string;
  readonly name: string;
  /** Continued lines are joined. */
  readonly value: string;
  /** Of the contents that contain the setting. */
  readonly path: Path;
}

/** A podman command in a unit. */
export interface UnitCommand {
  readonly unitName: string;
  readonly setting: UnitSetting;
  readonly podman: PodmanCommand;
}

const maxContentBytes = 16 * 1024 * 1024;

export function readSubject(config: Config): LintSubject {
  const units = (config.systemd?.units ?? []).map((unit, index) => readHostUnit(unit, index));
  return {
    config,
    isComplete: listReferences(config).length === 0,
    ...readFiles(config),
    units,
    runs: units.flatMap(({ commands }) => commands.filter(isAgentRun)),
  };
}

/** The part of the subject for checks that need no units. */
export function readFiles({ storage = {} }: Config): Pick<LintSubject, 'files' | 'filesByPath' | 'confs'> {
  const files = (storage.files ?? []).map((file, index): LintedFile => ({
    name: file.path ?? '',
    file,
    path: ['storage', 'files', index],
  }));
  return {
    files,
    filesByPath: new Map(files.toReversed().map((file) => [file.name, file])),
    confs: files.filter(({ name }) => isConfPath(name)),
  };
}

/** The usual name of the unit of the agent. */
export function isAgentUnitName(name: string): boolean {
  return /^ironic-(?:python-)?agent(?:@[^/]*)?\.service$/.test(name);
}

/** The inline bytes of a resource; undefined if they are remote or cannot be decoded. */
export function readContents({ source = '', compression = '' }: Resource): Uint8Array | undefined {
  if (!source.startsWith('data:')) return undefined;
  return ifWellFormed(() => {
    const { data } = decodeDataUrl(source);
    return compression === 'gzip' ? decodeGzipMembers(data, { maxBytes: maxContentBytes }) : data;
  });
}

/** The inline contents as text; undefined like {@link readContents}. */
export function readInlineText(resource: Resource = {}): string | undefined {
  const bytes = readContents(resource);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

/** The parts of the configuration of chrony that are inline, with the paths of their sources. */
export function chronyParts({ files }: LintSubject): { name: string; text: string; path: Path }[] {
  const chrony = files.filter(({ name }) => /^\/etc\/chrony(?:\.conf$|\.d\/)/.test(name));
  return chrony.flatMap(({ file: { append = [], contents }, name, path }) => [
    { name, text: readInlineText(contents) ?? '', path: [...path, 'contents', 'source'] },
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

function readHostUnit(unit: Unit, index: number): LintedUnit {
  const name = unit.name ?? '';
  const path = ['systemd', 'units', index];
  // systemd reads drop-ins in the order of their names.
  const dropins = (unit.dropins ?? [])
    .map((dropin, number) => ({ dropin, path: [...path, 'dropins', number, 'contents'] }))
    .toSorted((a, b) => compareText(a.dropin.name ?? '', b.dropin.name ?? ''));
  const settings = [
    ...readSettings(unit.contents, [...path, 'contents']),
    ...dropins.flatMap(({ dropin, path: at }) => readSettings(dropin.contents, at)),
  ];
  return { name, unit, path, settings, commands: readCommands(name, settings) };
}

/** An order that does not depend on the locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** As systemd reads them: comments between continued lines are no part of a value. */
function readSettings(contents = '', path: Path): UnitSetting[] {
  if (visitUnit(contents) !== undefined) return [];
  let section: string | undefined;
  return readSystemdLines(contents).flatMap((line): UnitSetting[] => {
    if (line.kind === 'section') section = line.name;
    if (line.kind !== 'assignment' || section === undefined) return [];
    return [{ section, name: line.name, value: line.value, path }];
  });
}

/** The effective settings of one name: an empty one resets those before it. */
export function effectiveSettings(settings: readonly UnitSetting[], name: string): UnitSetting[] {
  const own = settings.filter((setting) => setting.name === name);
  return own.slice(own.findLastIndex(({ value }) => value === '') + 1);
}

const execSettings = ['ExecStartPre', 'ExecStart', 'ExecStartPost'];

function readCommands(unitName: string, settings: readonly UnitSetting[]): UnitCommand[] {
  return execSettings
    .flatMap((name) => effectiveSettings(settings, name))
    .flatMap((setting) =>
      (ifWellFormed(() => splitExecLine(setting.value)) ?? []).flatMap((words) => {
        const podman = readPodmanCommand(words);
        return podman === undefined ? [] : [{ unitName, setting, podman }];
      }),
    );
}

/** The container of the agent is recognized by its name, its conf, its image or the unit that starts it. */
function isAgentRun({ unitName, podman }: UnitCommand): boolean {
  if (podman.verb === 'pull') return false;
  return (
    isAgentUnitName(unitName) ||
    optionValues(podman, 'name').some(({ text }) => /^ironic-(?:python-)?agent$/.test(text)) ||
    bindMounts(podman).some(({ source }) => isConfPath(source)) ||
    /(?:^|\/)ironic-(?:python-agent|agent|ipa)[^/]*$/.test(podman.operands[0]?.text ?? '')
  );
}
