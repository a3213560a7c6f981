/** The types of the library, as a review sees their changes. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageFolder } from '../support/packageFolder.ts';

const types = join(packageFolder, 'dist/types');

/** Documentation comments, with the blanks before them. */
const COMMENT = /^[ \t]*\/\*\*[^]*?\*\/\n/gm;

it('the golden text has the types of the package, without comments', async () => {
  const parts = readdirSync(types).map(
    (name) =>
      `## ${name}\n\n\`\`\`ts\n${readFileSync(join(types, name), 'utf8').replaceAll(COMMENT, '').trim()}\n\`\`\`\n`,
  );
  const text = ['# The types of ironic-coreos\n\n`npm run api` writes this file.\n', ...parts].join('\n');
  await expect(text).toMatchFileSnapshot('../golden/ironic-coreos.api.md');
});
