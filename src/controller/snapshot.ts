/** What is served, as settings and shared images are at one moment. A reload makes another one. */

import type { Servable } from '../serve/serviceState.ts';
import { type CatalogSources, createImageCatalog } from './imageCatalog.ts';
import { type FactoryInputs, type ImageFactory, openImageFactory } from './imageFactory.ts';
import type { ControllerOptions, SettingsFile } from './settings.ts';

export interface ControllerSnapshot extends Servable {
  readonly factory: ImageFactory;
}

export interface ControllerContext extends FactoryInputs, Omit<CatalogSources, 'factory' | 'io'> {
  /** Released when the snapshot is closed, or not taken. */
  readonly settings: SettingsFile;
}

/** @throws CliError where images or settings are wrong for any host there may be */
export async function takeControllerSnapshot(
  options: ControllerOptions,
  surroundings: ControllerContext,
): Promise<ControllerSnapshot> {
  const { settings } = surroundings;
  try {
    const factory = await openImageFactory(options, surroundings);
    return {
      factory,
      catalog: createImageCatalog({ ...surroundings, factory }),
      close: async () => {
        await factory.close();
        await settings.release();
      },
    };
  } catch (error) {
    await settings.release();
    throw error;
  }
}
