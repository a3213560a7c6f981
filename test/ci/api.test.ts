/** The types of the library, as a review sees their changes. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const built = existsSync(join(root, 'dist/index.d.ts'));

describe.skipIf(!built)(
  `test/golden/ironic-coreos.api.md${built ? '' : ' (skipped: the package is not built)'}`,
  () => {
    it('has the types of the built package', () => {
      const script = join(root, 'scripts/apiReport.js');
      const { stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
      expect(stderr).toBe('');
    });
  },
);
