/**
 * Which versions of the Ignition specification the Ignition of an image can read. An image has no record of it that can be read
 * without unpacking its initramfs, but the version of its build contains a date, and no build contains a later release.
 */

import { type SpecVersion, specVersions } from '../ignition/versions.ts';

interface IgnitionRelease {
  readonly release: string;
  /** As a number: 2026_11_01. */
  readonly date: number;
}

/** The release of Ignition that added each version, and its date (docs/specs.md and docs/release-notes.md of Ignition). */
const releases: Readonly<Record<SpecVersion, IgnitionRelease>> = {
  '3.0.0': { release: '2.0.0', date: 2019_06_03 },
  '3.1.0': { release: '2.3.0', date: 2020_05_05 },
  '3.2.0': { release: '2.7.0', date: 2020_10_13 },
  '3.3.0': { release: '2.11.0', date: 2021_06_25 },
  '3.4.0': { release: '2.15.0', date: 2023_02_21 },
  '3.5.0': { release: '2.20.0', date: 2024_10_22 },
  '3.6.0': { release: '2.26.0', date: 2026_02_17 },
  '3.7.0-experimental': { release: '2.26.0', date: 2026_02_17 },
};

/**
 * The newest version that a build may support; undefined if its date is unknown.
 * @param build version or volume ID, such as `44.20261101.3.0` or `rhcos-416.94.202405291527-0`
 */
export function newestSpecOf(build: string): SpecVersion | undefined {
  const date = dateOf(build);
  return date === undefined ? undefined : specVersions.findLast((version) => releases[version].date <= date);
}

/** The build in the file name of a CoreOS image, such as `rhcos-416.94.202405291527-0-metal.x86_64.raw.gz`. */
export function buildOfImageUrl(url: string): string | undefined {
  return /(?:^|\/)((?:fedora-coreos|rhcos|scos)-\d[\d.]*(?:-\d+)?)[^/]*$/.exec(
    url.replace(/[?#].*$/s, ''),
  )?.[1];
}

/** As a number: 2026_11_01. */
function dateOf(build: string): number | undefined {
  const [, date] = /(?:^|[.-])(20\d{6})(?:\d{4})?(?=[.-]|$)/.exec(build) ?? [];
  return date === undefined ? undefined : Number(date);
}

/** The release of Ignition that added the version. */
export function ignitionRelease(version: SpecVersion): string {
  return releases[version].release;
}
