// @ts-check
/**
 * Compares the checks of ironic-python-agent.conf with the agent's own parser, on random confs.
 *
 *   IPA_PYTHON=PYTHON node test/interop/agentConfs.js [--count N] [--seed S] [--json FILE]
 *
 * IPA_PYTHON names a Python that has ironic-python-agent. Exit 1 on any difference.
 */

import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { askAgentPeer, writeFigures, writeMissing } from './figures.js';

/** Verdicts that one run of Python gives. */
const BATCH = 1000;
const SHOWN = 10;

const { values } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string' }, json: { type: 'string' } },
});
const count = Number(values.count ?? 5000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

const folder = mkdtempSync(join(tmpdir(), 'agent confs '));
try {
  process.exitCode = compareAll(await loadSubjects());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @returns {Promise<typeof import('./agentConfs/subjects.ts')>} */
async function loadSubjects() {
  const input = join(import.meta.dirname, 'agentConfs/subjects.ts');
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  const dir = join(folder, 'dist');
  await bundle.write({ dir, entryFileNames: 'subjects.mjs', chunkFileNames: '[name].mjs' });
  // It looks for its files where they are beside the sources.
  copyFileSync(join(import.meta.dirname, '../support/ipaVerdicts.py'), join(dir, 'ipaVerdicts.py'));
  symlinkSync(resolve(import.meta.dirname, '../../schemas'), join(folder, 'schemas'));
  return import(pathToFileURL(join(dir, 'subjects.mjs')).href);
}

/** @param {typeof import('./agentConfs/subjects.ts')} subjects @returns {number} exit code */
function compareAll({ compareConfs, hasIpa, randomConfs }) {
  if (!hasIpa) {
    console.log('NOT CHECKED: IPA_PYTHON names no Python with ironic-python-agent');
    writeMissing(values.json, ['ironic-python-agent']);
    return 0;
  }
  console.log(`seed ${seed}, ${count} confs`);
  const texts = randomConfs(count, seed);
  let agreeing = 0;
  for (let start = 0; start < count; start += BATCH) {
    const compared = compareConfs(texts.slice(start, start + BATCH));
    const different = compared.filter(({ agrees }) => !agrees);
    for (const { text, verdict } of different.slice(0, SHOWN)) console.log(JSON.stringify({ text, verdict }));
    agreeing += compared.length - different.length;
  }
  console.log(`${agreeing} of ${count} agree whether the agent starts and which names it ignores`);
  writeFigures(values.json, { peer: askAgentPeer(), seed, documents: count, agreeing });
  return agreeing === count ? 0 : 1;
}
