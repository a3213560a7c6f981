/** The forms of an image that the operator knows, and what `serve` calls them. */

import type { ConfigArtifact } from '../../hosts/artifacts/artifacts.ts';

/** `initrd` is an initramfs that carries the config. */
export const imageFormats = ['iso', 'initrd'] as const;

export type ImageFormat = (typeof imageFormats)[number];

export const artifactOf = {
  iso: 'iso',
  initrd: 'initramfs',
} as const satisfies Record<ImageFormat, ConfigArtifact>;
