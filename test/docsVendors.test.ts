import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { type Vendor, vendors } from '../src/redfish/vendors.ts';
import { replaceMarked } from './support/docs/markdown.ts';

function rowOf({ bootRequest, bootTarget, license = '', mediaOf, name, protocols, slots }: Vendor): string {
  const media = mediaOf === undefined ? 'system or manager' : mediaOf;
  const device = bootRequest === 'dell' ? 'import of iDRAC settings' : `\`${bootTarget ?? 'Cd'}\``;
  const ids = slots === undefined ? 'all for CDs' : `\`${slots.source}\``;
  return `| ${name} | ${media} | ${ids} | ${device} | ${(protocols ?? ['http', 'https']).join(', ')} | ${license} |\n`;
}

/** `npx vitest run test/docsVendors.test.ts -u` writes the file. */
it('the table in docs/boot.md is that of the vendors (else: this test with -u)', async () => {
  const path = resolve(import.meta.dirname, '../docs/boot.md');
  const head = '| BMC | media of | slots | boot device | image URLs | license |\n|---|---|---|---|---|---|\n';
  const table = `${head}${vendors.map(rowOf).join('')}`;
  await expect(replaceMarked(readFileSync(path, 'utf8'), 'vendors', table)).toMatchFileSnapshot(path);
});
