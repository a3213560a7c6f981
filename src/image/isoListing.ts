/**
 * Lists the structure of an ISO image in the JSON format of coreos-installer: the volume descriptors, and the paths of the
 * primary tree. Rock Ridge and Joliet names are not listed, because boot loaders and coreos-installer do not use them.
 */

import type { VolumeDescriptor } from '../formats/iso9660/descriptors.ts';
import type { IsoTree } from './isoTree.ts';
import type { KargsAreas } from './kargsAreas.ts';

export interface IsoListing {
  readonly header: { readonly descriptors: readonly object[] };
  /** Paths of files and directories, each directory before its contents. */
  readonly records: readonly string[];
}

/** @throws FormatError if a directory is damaged */
export async function listIso(tree: IsoTree): Promise<IsoListing> {
  const descriptors = tree.descriptors.flatMap(describeDescriptor);
  const records: string[] = [];
  for await (const { recordPath } of tree.walk()) records.push(recordPath);
  return { header: { descriptors }, records };
}

/** The areas for kernel arguments; null if the image reserves none. */
export function describeKargs(areas: KargsAreas | undefined): object | null {
  if (areas === undefined) return null;
  const { length, defaults, places } = areas;
  const kargs = places.map(({ offset, pad, end }) => ({ offset, length, pad, end }));
  return { length, default: defaults, kargs };
}

function describeDescriptor(descriptor: VolumeDescriptor): object[] {
  const { type } = descriptor;
  switch (type) {
    case 'primary':
      return [
        {
          type,
          system_id: descriptor.systemId,
          volume_id: descriptor.volumeId,
          volume_space_size: descriptor.volumeSpaceSize,
          root: { name: '.', address: descriptor.root.sector, length: descriptor.root.size },
        },
      ];
    case 'boot':
      return [{ type, boot_system_id: descriptor.bootSystemId, boot_id: descriptor.bootId }];
    case 'supplementary':
      return [{ type }];
    case 'unknown':
      return [{ type, type_id: descriptor.typeId }];
    case 'terminator':
      break; // coreos-installer does not list it
  }
  return [];
}
