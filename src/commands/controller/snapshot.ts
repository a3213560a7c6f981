/** What is served, as settings and shared images are at one moment. A reload makes another one. */

import type { Servable } from '../serve/serviceState.ts';
import { createImageCatalog, type CatalogSources } from './imageCatalog.ts';
import { type FactorySurroundings, type ImageFactory, openImageFactory } from './imageFactory.ts';
import type { ControllerOptions } from './options.ts';

export interface ControllerSnapshot extends Servable {
  readonly factory: ImageFactory;
}

export type SnapshotSurroundings = FactorySurroundings & Omit<CatalogSources, 'factory'>;

/** @throws CliError where images or settings are wrong for any host there may be */
export async function takeControllerSnapshot(
  options: ControllerOptions,
  surroundings: SnapshotSurroundings,
): Promise<ControllerSnapshot> {
  const factory = await openImageFactory(options, surroundings);
  const { findImage, readSecret, io } = surroundings;
  return {
    factory,
    catalog: createImageCatalog({ factory, findImage, readSecret, io }),
    close: () => factory.close(),
  };
}
