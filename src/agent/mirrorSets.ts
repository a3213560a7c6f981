/**
 * Mirrors of OpenShift's ImageDigestMirrorSet, ImageTagMirrorSet and ImageContentSourcePolicy as a registries.conf, as
 * OpenShift's machine-config-operator writes them (EditRegistriesConfig of runtime-utils).
 */

import { asList, asMapping, type Mapping } from '../formats/mapping.ts';

/** The list in `spec` of each kind, and for which images podman uses its mirrors. */
export const mirrorSetKinds: Readonly<
  Record<string, readonly [list: string, pullFromMirror: 'digest-only' | 'tag-only']>
> = {
  ImageDigestMirrorSet: ['imageDigestMirrors', 'digest-only'],
  ImageContentSourcePolicy: ['repositoryDigestMirrors', 'digest-only'],
  ImageTagMirrorSet: ['imageTagMirrors', 'tag-only'],
};

/** @param sets objects of these kinds; other values in them are skipped */
export function formatMirrorSets(sets: readonly Mapping[]): string {
  const registries = new Map<string, { isBlocked: boolean; readonly mirrors: Set<string> }>();
  for (const { kind, spec } of sets) {
    const [list, pullFromMirror] = mirrorSetKinds[String(kind)] ?? ['', 'digest-only'];
    for (const entry of asList(asMapping(spec)[list])) {
      const { source, mirrors, mirrorSourcePolicy } = asMapping(entry);
      const locations = asList(mirrors).filter((mirror) => typeof mirror === 'string' && mirror !== source);
      if (typeof source !== 'string' || locations.length === 0) continue;
      const registry = registries.get(source) ?? { isBlocked: false, mirrors: new Set() };
      registries.set(source, registry);
      if (mirrorSourcePolicy === 'NeverContactSource') registry.isBlocked = true;
      for (const location of locations) {
        registry.mirrors.add(
          `[[registry.mirror]]\nlocation = ${JSON.stringify(location)}\npull-from-mirror = "${pullFromMirror}"\n`,
        );
      }
    }
  }
  return Array.from(registries, ([source, { isBlocked, mirrors }]) => {
    const key = source.startsWith('*.') ? 'prefix' : 'location';
    const blocked = isBlocked ? 'blocked = true\n' : '';
    return `[[registry]]\n${key} = ${JSON.stringify(source)}\n${blocked}\n${[...mirrors].join('\n')}`;
  }).join('\n');
}
