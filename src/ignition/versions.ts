/** The supported versions of the Ignition specification, oldest first. */

export const specVersions = [
  '3.0.0',
  '3.1.0',
  '3.2.0',
  '3.3.0',
  '3.4.0',
  '3.5.0',
  '3.6.0',
  '3.7.0-experimental',
] as const;

export type SpecVersion = (typeof specVersions)[number];

/** Ignition translates every config to this version before merging. */
export const newestVersion: SpecVersion = specVersions[specVersions.length - 1] ?? specVersions[0];

/** The list for texts: `3.0.0 to 3.6.0, or 3.7.0-experimental`. */
export function nameVersions(versions: readonly string[], conjunction: ', or' | ' and' = ', or'): string {
  const released = versions.filter((version) => !version.includes('-'));
  const others = versions.filter((version) => version.includes('-'));
  return [`${released[0]} to ${released.at(-1)}`, ...others].join(`${conjunction} `);
}

/** The version with exactly this name; undefined for an unknown version. */
export function versionNamed(name: unknown): SpecVersion | undefined {
  for (const version of specVersions) if (version === name) return version;
  return undefined;
}

/** The newest of the versions; of none, the oldest version. */
export function newestOf(versions: readonly SpecVersion[]): SpecVersion {
  return specVersions.findLast((version) => versions.includes(version)) ?? specVersions[0];
}

/** Whether `version` is `first` or newer: rules and fields that a version adds remain in later versions. */
export function isSince(version: SpecVersion, first: SpecVersion): boolean {
  return specVersions.indexOf(version) >= specVersions.indexOf(first);
}
