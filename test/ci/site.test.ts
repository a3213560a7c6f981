/** The sidebar of the documentation site. test/interop/site.test.ts has the site itself. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sidebar } from '../../scripts/site/sidebar.js';

it('has each page of docs once', () => {
  const pages = readdirSync(join(import.meta.dirname, '../../docs')).filter((name) => name.endsWith('.md'));
  const listed = sidebar.flatMap(({ items }) => items).filter((name) => !name.startsWith('../'));
  expect(listed.map((name) => `${name}.md`).toSorted()).toEqual(pages.toSorted());
});
