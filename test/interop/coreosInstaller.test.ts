/**
 * Every command for images beside that of coreos-installer, on images of releases and of all layouts: exit code, output, messages,
 * and the files that result, which each program also has to read from the other. `coreosInstaller/known.js` has the differences that
 * are meant.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oracleFile, have, oracleNote } from '../support/programs.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';
import { compareRuns, type Lab } from './coreosInstaller/compareRuns.js';
import { type Image, makeImages } from './coreosInstaller/images.js';
import { writeInputs } from './coreosInstaller/inputs.js';
import { explain } from './coreosInstaller/known.js';
import { openDecoder } from './coreosInstaller/meaning.js';
import { openPrograms } from './coreosInstaller/programs.js';
import { type Scenario, scenarios } from './coreosInstaller/scenarios.js';

const peer = 'coreos-installer';
const isReady = have(peer, 'xorriso') && sharedData !== undefined;
const note = sharedData === undefined ? sharedDataNote : oracleNote(peer, 'xorriso');

const lineOf = ({ command, steps }: Scenario): string =>
  `${command}: ${steps.map(({ args }) => args.join(' ').replaceAll(/k{100,}/g, (name) => `k×${name.length}`)).join('; ')}`;

describe.skipIf(!isReady)(`every command for images${note}`, { timeout: 600_000 }, () => {
  let folder = '';
  let images: readonly Image[] = [];
  let lab: Lab;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'coreos-installer-')));
    for (const name of ['images', 'in', 'tmp']) mkdirSync(join(folder, name));
    lab = {
      run: openPrograms(oracleFile(peer), folder),
      meaningOf: openDecoder(oracleFile(peer)),
      explain,
      folder: join(folder, 'runs'),
      inputs: join(folder, 'in'),
    };
    writeInputs(lab.inputs);
    images = makeImages(join(folder, 'images'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * The images of a scenario, by name, with the files that its steps name. Of those for every image, each runs on the first one and on
   * every sixth of the others, so that together they see all images in an acceptable time.
   */
  function placesOf(
    { on }: Scenario,
    turn: number,
  ): [image: string, files: [name: string, path: string][]][] {
    return images
      .filter((_image, index) => index === 0 || (on === 'every' && (index + turn) % 6 === 0))
      .map(({ name, path }) => [name, [['image.iso', path]]]);
  }

  const rows = scenarios.map((scenario, turn) => [lineOf(scenario), scenario, turn] as const);
  it.each(rows)('%s', (_line, scenario, turn) => {
    const different = placesOf(scenario, turn).flatMap(([image, files]) =>
      compareRuns(scenario.steps, files, lab)
        .differences.filter(({ reason }) => reason === undefined)
        .map(({ kind, detail }) => `${image}: ${kind}: ${detail}`),
    );
    expect(different).toEqual([]);
  });
});
