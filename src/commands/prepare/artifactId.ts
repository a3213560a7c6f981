/** IDs in the paths of files that change together with a boot script. */

import { createHash } from 'node:crypto';
import { programVersion } from '../../core/programVersion.ts';
import { type ConfigArtifact, startedArtifact, type Wanted } from '../../hosts/artifacts/artifacts.ts';
import { ID_DIGITS } from '../../hosts/artifacts/servedPaths.ts';
import type { PlannedArtifacts } from '../../hosts/plan/planHost.ts';
import type { Growth } from '../../image/growth.ts';

/**
 * The ID of a file that boot scripts name, and of an initramfs, which only boots with its own kernel. It changes with the
 * content, so a script and the files that it names are always of one build. Undefined for other files: Ironic and BMCs find
 * an ISO at a path that stays the same.
 */
export function artifactId(
  artifact: ConfigArtifact,
  { artifacts, configs, images, isoArguments }: PlannedArtifacts,
  { baseUrl, loaders }: Wanted,
  growth: Growth,
): string | undefined {
  const isNamed = artifact === 'initramfs' || (loaders.length > 0 && artifact === startedArtifact(artifacts));
  if (!isNamed) return undefined;
  const { archive, fetched, onIso } = configs;
  const isIso = artifact === 'iso' || artifact === 'minimal-iso';
  const hash = createHash('sha256').update(artifact === 'iso' ? onIso.document : fetched.document);
  if (artifact !== 'ign') {
    const ofIso = isIso ? [isoArguments, growth, baseUrl, archive?.content.sha512] : [];
    hash.update(JSON.stringify([artifact, programVersion(), images?.base.id, ...ofIso]));
  }
  return hash.digest('hex').slice(0, ID_DIGITS);
}
