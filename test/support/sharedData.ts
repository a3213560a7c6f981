/**
 * The reference data that is kept beside the checkout and not in it: real reduced live ISOs, inputs and outputs of the
 * existing tools, configs with Ignition's verdict. Tests that need it skip, and say so, where it is not there.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../../../shared/data');

/** The folder with the reference data, where there is one. */
export const sharedData: string | undefined = existsSync(folder) ? folder : undefined;

/** For test titles. */
export const sharedDataNote =
  sharedData === undefined ? ' (skipped: no reference data beside the checkout)' : '';
