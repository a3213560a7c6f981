/** Boots what the program makes of a live ISO, on every firmware and medium, and compares what arrived with what was embedded. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { have, oracleNote } from '../support/programs.ts';
import { makeBootIso } from './boot/bootIso.js';
import { boot, firmwares, media } from './boot/machine.js';
import { compareBoot, prepare, variants, writeInputs } from './boot/variants.js';

const machines = firmwares.flatMap((firmware) => media.map((medium) => ({ firmware, medium })));

describe.skipIf(!have('boots'))(`a machine boots${oracleNote('boots')}`, () => {
  let folder = '';
  const pristine = (): string => join(folder, 'pristine.iso');
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'boot-'));
    mkdirSync(join(folder, 'work'));
    makeBootIso(pristine(), join(folder, 'work'));
    writeInputs(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(Object.entries(variants))('%s', (_name, variant) => {
    beforeAll(() => prepare(variant, { pristine: pristine(), folder }));

    it.each(machines)('$firmware, $medium', async (machine) => {
      expect(compareBoot(variant.expected, await boot(join(folder, 'boot.iso'), machine))).toEqual([]);
    });
  });
});
