/** The names under which a host's files are served, as the image-customization-controller has them: `worker-0.iso`. */

import type { ConfigArtifact } from './artifacts.ts';

/** The longest ending first, since `worker-minimal.iso` ends as `worker.iso` does. */
const endings = [
  ['minimal-iso', '-minimal.iso'],
  ['initramfs', '.initramfs'],
  ['iso', '.iso'],
  ['ign', '.ign'],
  ['archive', '.img'],
] as const satisfies readonly (readonly [ConfigArtifact, string])[];

export interface HostFile {
  readonly host: string;
  readonly artifact: ConfigArtifact;
}

export function hostFileName(host: string, artifact: ConfigArtifact): string {
  return host + (endings.find(([name]) => name === artifact)?.[1] ?? '');
}

/** What the name may stand for, the likeliest first: a host may be called `worker-minimal`. */
export function parseHostFileName(name: string): HostFile[] {
  return endings
    .filter(([, ending]) => name.endsWith(ending) && name.length > ending.length)
    .map(([artifact, ending]) => ({ host: name.slice(0, -ending.length), artifact }))
    .toReversed();
}
