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

/** The version with exactly this name; undefined for an unknown version. */
export function versionNamed(name: unknown): SpecVersion | undefined {
  for (const version of specVersions) if (version === name) return version;
  return undefined;
}

/** Whether `version` is `first` or newer: rules and fields that a version adds remain in later versions. */
export function isSince(version: SpecVersion, first: SpecVersion): boolean {
  return specVersions.indexOf(version) >= specVersions.indexOf(first);
}
