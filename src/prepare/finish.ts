/** The end of a run: manifest and checksums, and what becomes of files that an earlier run has made. */

import { formatCount } from '../formats/messageText.ts';
import type { Io } from '../io/io.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import type { UnlistedMemory } from '../hosts/artifacts/hostMemory.ts';
import { findLeftovers } from './leftovers.ts';
import {
  formatChecksums,
  formatManifest,
  GENERATOR,
  type Manifest,
  type ManifestHost,
  type ManifestInput,
} from '../hosts/artifacts/manifest.ts';
import { MANIFEST } from '../hosts/artifacts/servedPaths.ts';
import type { LayoutName } from './layoutNames.ts';
import type { Wanted } from '../hosts/artifacts/artifacts.ts';
import { programVersion } from '../core/programVersion.ts';

export interface Ending {
  readonly layout: LayoutName;
  readonly wanted: Pick<Wanted, 'baseUrl' | 'configs' | 'loaders'>;
  readonly inputs: readonly ManifestInput[];
  readonly prepared: { readonly hosts: readonly ManifestHost[]; readonly wrong: ReadonlySet<string> };
  /** Of machines that are not listed. */
  readonly memory: readonly UnlistedMemory[];
  readonly prune: boolean;
  readonly io: Io;
}

/** @throws CliError where the folder cannot be written; it is then as it was, but for files that are new */
export async function finishFolder(folder: PreparedFolder, ending: Ending): Promise<void> {
  const { layout, wanted, inputs, prepared, memory, prune, io } = ending;
  const { files, previous } = folder;
  const left = findLeftovers(previous, {
    paths: new Set(files.keys()),
    hosts: new Set(prepared.hosts.map(({ name }) => name)),
    wrongHosts: prepared.wrong,
    prune,
  });
  const manifest: Manifest = {
    version: 1,
    generator: { name: GENERATOR, version: programVersion() },
    layout,
    baseUrl: wanted.baseUrl ?? null,
    artifacts: [...wanted.configs, ...wanted.loaders],
    inputs,
    hosts: [...prepared.hosts, ...left.hosts],
    memory,
    files: [...files.values(), ...left.files],
  };
  const abandoned = folder.abandoned();
  await folder.finish({
    manifest: formatManifest(manifest),
    checksums: (sha256) => formatChecksums([...manifest.files, { path: MANIFEST, sha256 }]),
    removed: prune ? [...left.unneeded.map(({ path }) => path), ...abandoned] : [],
  });
  tellLeft(left.unneeded.length + abandoned.length, prune, io);
}

function tellLeft(count: number, isRemoved: boolean, { stderr }: Io): void {
  if (count === 0) return;
  const files = formatCount(count, 'file');
  stderr.write(
    isRemoved
      ? `${files} of earlier runs removed\n`
      : `${files} of earlier runs not needed any more; --prune removes them\n`,
  );
}
