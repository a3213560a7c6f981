/**
 * The options in configuration files of ironic-python-agent and its libraries, as declared in its latest release, with
 * deprecated names and removed options. The data is in `ipa-options.json`.
 */

import { quoteText } from '../core/foreignText.ts';
import { nearestName } from '../core/nearestNames.ts';
import { readAsset } from '../core/assets.ts';
import { UsageError } from '../core/errors.ts';
import { once } from '../core/once.ts';
import { normalizeSection } from '../formats/osloConfig.ts';

export interface IpaOption {
  readonly section: string;
  /** With underscores, as in files. */
  readonly name: string;
  readonly type: 'string' | 'integer' | 'float' | 'port' | 'boolean' | 'list' | 'dict';
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  /** Whether the choices are case-insensitive. */
  readonly ignoreCase?: boolean;
  /** A regular expression that the value must contain. */
  readonly pattern?: string;
  /** The value is a secret, or contains the path of one; messages must not contain it. */
  readonly sensitive?: boolean;
  /** The kernel argument that sets the default. */
  readonly kernelParam?: string;
  /** `SECTION.NAME`; the agent still reads them. */
  readonly deprecatedNames?: readonly string[];
  /** The first release of ironic-python-agent with it; undefined for options of libraries, which 9.0.0 also supports. */
  readonly since?: string;
  /** Patch releases of older branches with it, such as 9.7.2 for 9.7. */
  readonly backports?: readonly string[];
  /** Of each option with a kernel argument. */
  readonly help?: string;
}

export interface RemovedIpaOption {
  readonly section: string;
  readonly name: string;
  /** The first release with it; undefined for options of libraries. */
  readonly since?: string;
  /** The last release with it. */
  readonly last: string;
  readonly kernelParam?: string;
}

export interface IpaKnowledge {
  /** The release of ironic-python-agent with these options. */
  readonly agentVersion: string;
  readonly options: readonly IpaOption[];
  readonly removed: readonly RemovedIpaOption[];
  /** Kernel arguments of the agent without a corresponding option. */
  readonly kernelParameters: readonly { readonly name: string; readonly help: string }[];
  /**
   * The collectors that the agent itself contains, entry points of `ironic_python_agent.inspector.collectors`, and the first release
   * with each; undefined if all releases since 9.0.0 have it.
   */
  readonly collectors: readonly { readonly name: string; readonly since?: string }[];
}

/** The options, and lookup tables for them; the file is read once. */
const readIndex = once(() => {
  const knowledge: IpaKnowledge = JSON.parse(readAsset('src/ipa/ipa-options.json'));
  const current = new Map<string, IpaOption>();
  const deprecated = new Map<string, IpaOption>();
  const sectionNames = new Set<string>();
  for (const option of knowledge.options) {
    current.set(`${option.section}.${option.name}`, option);
    sectionNames.add(option.section);
    for (const name of option.deprecatedNames ?? []) deprecated.set(name, option);
  }
  for (const name of deprecated.keys()) sectionNames.add(name.slice(0, name.indexOf('.')));
  for (const { section } of knowledge.removed) sectionNames.add(section);
  return { knowledge, current, deprecated, sectionNames };
});

export function ipaKnowledge(): IpaKnowledge {
  return readIndex().knowledge;
}

/** The option of a line in a file, and whether the name is deprecated. Like in oslo.config, section names are case-insensitive. */
export function findIpaOption(section: string, name: string) {
  const { current, deprecated } = readIndex();
  const key = `${normalizeSection(section)}.${name}`;
  const option = current.get(key);
  if (option !== undefined) return { option, renamed: false };
  const renamed = deprecated.get(key);
  return renamed && { option: renamed, renamed: true };
}

/** All valid sections, including those of deprecated names and removed options. */
export function ipaSectionNames(): ReadonlySet<string> {
  return readIndex().sectionNames;
}

export function findRemovedIpaOption(name: string, section = 'DEFAULT'): RemovedIpaOption | undefined {
  const wanted = normalizeSection(section);
  return readIndex().knowledge.removed.find((option) => option.name === name && option.section === wanted);
}

export type IpaVersion = readonly [major: number, minor: number, patch: number];

/** The oldest supported version: the data does not contain the options of older releases. */
const OLDEST_VERSION = '9.0.0';

/** Parses `11.2.0`; missing parts are zero. Throws UsageError for invalid text and for versions before 9. */
export function parseIpaVersion(text: string): IpaVersion {
  const parts = /^(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?$/.exec(text);
  const version = parts && toVersion(parts.slice(1));
  if (version === null || compareVersions(version, parseRelease(OLDEST_VERSION)) < 0) {
    throw new UsageError(`unsupported version of ironic-python-agent: ${quoteText(text)}`, {
      hint: `use a release from ${OLDEST_VERSION} to ${ipaKnowledge().agentVersion}, such as 9.11 or 11.2.0`,
    });
  }
  return version;
}

function parseRelease(text: string): IpaVersion {
  return toVersion(text.split('.'));
}

function toVersion([major, minor, patch]: readonly (string | undefined)[]): IpaVersion {
  return [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)];
}

function compareVersions(a: IpaVersion, b: IpaVersion): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** Whether the version is the release `since` or a later one; true if there is no such release. */
function isFrom(version: IpaVersion, since: string | undefined): boolean {
  return since === undefined || compareVersions(version, parseRelease(since)) >= 0;
}

/** Whether the release supports the option with its current name. */
export function hasIpaOption({ since, backports = [] }: IpaOption, version: IpaVersion): boolean {
  if (isFrom(version, since)) return true;
  return backports.map(parseRelease).some(([major, minor, patch]) => {
    return version[0] === major && version[1] === minor && version[2] >= patch;
  });
}

export function hadIpaOption({ since, last }: RemovedIpaOption, version: IpaVersion): boolean {
  return isFrom(version, since) && compareVersions(version, parseRelease(last)) <= 0;
}

/** Names of the collectors that the release contains (default: the newest). */
export function ipaCollectors(version?: IpaVersion): string[] {
  return ipaKnowledge()
    .collectors.filter(({ since }) => version === undefined || isFrom(version, since))
    .map(({ name }) => name);
}

/**
 * The most likely option for an unknown name: the option of that kernel argument, of the name with underscores, of another
 * section, or the most similar name in the section. The name may contain the section: `DEFAULT.lookup_timeout`.
 */
export function suggestIpaOption(section: string, name: string): IpaOption | undefined {
  const { options } = readIndex().knowledge;
  const [, prefix = '', rest = ''] = /^([^./]+)[./](.+)$/.exec(name) ?? [];
  if (ipaSectionNames().has(normalizeSection(prefix))) {
    return findIpaOption(prefix, rest)?.option ?? suggestIpaOption(prefix, rest);
  }
  const plain = name.toLowerCase().replaceAll('-', '_');
  const inSection = options.filter((option) => option.section === normalizeSection(section));
  const exact =
    options.find((option) => option.kernelParam?.replaceAll('-', '_') === plain) ??
    inSection.find((option) => option.name === plain) ??
    options.find((option) => option.name === plain);
  if (exact !== undefined) return exact;
  const byName = new Map(inSection.map((option) => [option.name, option]));
  return byName.get(nearestName(plain, byName.keys()) ?? '');
}

export function suggestIpaSection(name: string): string | undefined {
  const sections = new Map([...ipaSectionNames()].map((section) => [section.toLowerCase(), section]));
  return sections.get(nearestName(name.trim().toLowerCase(), sections.keys()) ?? '');
}
