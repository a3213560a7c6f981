/** A snapshot of the catalog, from one state of settings and base images. A reload creates a new one. */

import type { Servable } from '../serve/serviceState.ts';
import { type CatalogSources, createImageCatalog } from './imageCatalog.ts';
import { type FactoryInputs, type ImageFactory, openImageFactory } from './imageFactory.ts';
import type { ControllerOptions, SettingsFile } from './settings.ts';

export interface ControllerSnapshot extends Servable {
  readonly factory: ImageFactory;
}

export interface ControllerContext extends FactoryInputs, Omit<CatalogSources, 'factory' | 'io'> {
  /** Released when the snapshot is closed, or when taking it fails. */
  readonly settings: SettingsFile;
}

/** @throws CliError if images or settings are invalid for all hosts */
export async function takeControllerSnapshot(
  options: ControllerOptions,
  context: ControllerContext,
): Promise<ControllerSnapshot> {
  const { settings } = context;
  try {
    const factory = await openImageFactory(options, context);
    return {
      factory,
      catalog: createImageCatalog({ ...context, factory }),
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
