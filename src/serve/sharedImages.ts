/** What all hosts fetch: kernel, initramfs and root filesystem of each architecture. */

import { type ImagePart, imageParts } from '../image/bootParts.ts';
import { imagePath } from '../hosts/artifacts/servedPaths.ts';
import { mediaTypes } from './answer/mediaTypes.ts';
import type { Resource } from './answer/resource.ts';
import type { BaseImage, BaseSet } from './baseImages.ts';

/** By their path on this server. */
export function sharedImages(bases: readonly BaseSet[]): (readonly [path: string, resource: Resource])[] {
  return bases.flatMap(({ id, parts }) =>
    imageParts.flatMap((part): (readonly [string, Resource])[] => {
      const image = parts[part];
      return image === undefined ? [] : [[imagePath(id, part), partResource(image, part)]];
    }),
  );
}

function partResource({ bytes, etag, file }: BaseImage, part: ImagePart): Resource {
  return {
    artifact: part,
    host: undefined,
    fileName: `ironic-python-agent.${part}`,
    contentType: mediaTypes[part],
    size: bytes.size,
    etag,
    lastModified: file.modified,
    check: () => file.checkUnchanged(),
    open: async () => {
      await file.checkUnchanged();
      return { ...bytes, close: async () => undefined };
    },
  };
}
