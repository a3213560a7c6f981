// @ts-check
/** The whole suite, which also records the functions that each test file executes. */

import { resolve } from 'node:path';
import { mergeConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

export default mergeConfig(config, {
  root: resolve(import.meta.dirname, '../..'),
  test: { setupFiles: ['scripts/mutation/recordFunctions.js'] },
});
