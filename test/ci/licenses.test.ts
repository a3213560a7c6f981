/** The licences of the code in the bundles: NOTICE, package.json and the files beside the bundles name the same. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { licensesInside, parseLicenses } from '../../scripts/bundle/licenses.js';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const bundled = read('dist/bundled.LICENSES');

/** `NAME LICENCE` of each line of the lists of NOTICE. */
const [inPackage = [], onlyInExecutable = []] = read('NOTICE')
  .split('Only in the executables')
  .map((part) =>
    Array.from(part.matchAll(/^ {2}(\S+) +(\S+)$/gm), ([, name, license]) => `${name} ${license}`),
  );

const listed = (text: string): string[] =>
  parseLicenses(text).map(({ name, license }) => `${name} ${license}`);

describe('licences', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'licenses '));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('NOTICE lists the packages in the bundle, and Node.js as only in the executable', () => {
    expect(listed(bundled)).toEqual(inPackage);
    expect(onlyInExecutable).toEqual(['node MIT']);
  });

  it('package.json and the label of the images name all licences in the package', () => {
    const names = new Set(inPackage.map((line) => line.replace(/^.* /, '')));
    const expression = [...names.add('Apache-2.0')].toSorted().join(' AND ');
    expect(JSON.parse(read('package.json'))).toMatchObject({ license: expression });
    expect(read('deploy/serve/Containerfile')).toContain(`licenses="${expression}"`);
  });

  it('the texts that the LGPL requires are there', () => {
    const [, part = ''] = /^=== openpgp \S+ \(LGPL-3\.0-or-later\)$([^]*?)^=== /m.exec(bundled) ?? [];
    const { version }: { version: string } = JSON.parse(read('node_modules/openpgp/package.json'));
    expect(part).toContain(`Source code: https://github.com/openpgpjs/openpgpjs, version ${version};`);
    expect(part).toContain('GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 3');
    expect(part).toContain('GNU GENERAL PUBLIC LICENSE\n                       Version 3');
    expect(part).toContain('How to Apply These Terms to Your New Programs'); // the end of the GPL
  });

  it('the notices in the code of packages are there', () => {
    expect(bundled).toContain('noble-curves - MIT License (c) 2022 Paul Miller'); // in openpgp
    expect(bundled).toContain('Copyright (c) 2003-2005  Tom Wu'); // in node-forge
  });

  const bundleWith = async (manifest: object) => {
    const files = join(folder, 'node_modules/other');
    mkdirSync(files, { recursive: true });
    writeFileSync(
      join(files, 'package.json'),
      JSON.stringify({ name: 'other', version: '1.0.0', ...manifest }),
    );
    writeFileSync(join(files, 'LICENSE'), 'text');
    writeFileSync(join(files, 'index.js'), 'export const a = Math.random();\n');
    writeFileSync(join(folder, 'use.js'), "export { a } from 'other';\n");
    const bundle = await rolldown({ input: join(folder, 'use.js'), plugins: [licensesInside('LICENSES')] });
    return bundle.generate({ comments: false });
  };

  it.each([
    ['an unknown licence', { license: 'SSPL-1.0' }, /other has a licence .*: SSPL-1\.0/],
    ['no licence', {}, /other has a licence .*: undefined/],
  ])('a package with %s is not bundled', async (_title, manifest, message) => {
    await expect(bundleWith(manifest)).rejects.toThrow(message);
    await expect(bundleWith({ license: 'MIT' })).resolves.toMatchObject({
      output: [{}, { source: '=== other 1.0.0 (MIT)\n\ntext\n\n' }],
    });
  });
});
