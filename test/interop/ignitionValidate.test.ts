/** The real ignition-validate and ours on the same random configs: verdict, texts, paths and positions. */

import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Finding, formatPath } from '../../src/core/finding.ts';
import { validateConfig } from '../../src/ignition/validate.ts';
import { specVersions } from '../../src/ignition/versions.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';
import { mutate, randomConfig, randomNumbers } from './configGenerator.js';
import { publicFiles } from '../support/publicConfigs.ts';
import { runCli } from '../support/runCli.ts';

const COUNT = 3000;
const seed = Date.now() % 2 ** 32;

describe.skipIf(!have('ignition-validate'))(`ignition-validate${oracleNote('ignition-validate')}`, () => {
  it(`says the same about ${COUNT} random configs, seed ${seed}`, { timeout: 900_000 }, async () => {
    const random = randomNumbers(seed);
    for (let done = 0; done < COUNT; done += 4) {
      const documents = Array.from({ length: 4 }, () => randomDocument(random));
      const theirs = await Promise.all(documents.map(runReal));
      for (const [index, document] of documents.entries()) {
        const text = document.toString('latin1');
        expect({ text, report: ours(document) }).toEqual({ text, report: theirs[index] });
      }
    }
  });
});

describe.skipIf(!have('ignition-validate', 'public configs'))(
  `public configs${oracleNote('ignition-validate', 'public configs')}`,
  () => {
    it('have the same verdict and messages, and without an agent no errors beyond them', async () => {
      const different: object[] = [];
      for (const { name, text } of publicFiles('ignition')) {
        const theirs = await runReal(Buffer.from(text));
        const report = ours(Buffer.from(text));
        const differs = isComparable(Buffer.from(text))
          ? report.join() !== theirs.join()
          : report[0] !== theirs[0];
        if (differs) different.push({ name, report, theirs });
        const { code } = await runCli(['validate', '-'], { stdin: text });
        if (!text.includes('ironic') && (code === 0) !== (theirs[0] === 'valid'))
          different.push({ name, code });
      }
      expect(different).toEqual([]);
    });
  },
);

/** It has no key `variant`: a document that is no valid config would be read as Butane, too. */
function randomDocument(random: () => number): Buffer {
  const version = specVersions[Math.floor(random() * specVersions.length)] ?? '3.6.0';
  const indent = random() < 0.3 ? 2 : undefined;
  const document = Buffer.from(JSON.stringify(randomConfig(random, version), null, indent));
  const result = random() < 0.5 ? document : mutate(random, document);
  return [result, document].find(isComparable) ?? Buffer.from('{}');
}

/** The real program prints its report as a printf format, where per cent signs come out mangled. */
function isComparable(document: Buffer): boolean {
  return !document.includes('%');
}

function runReal(document: Buffer): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(oracleFile('ignition-validate'), ['-'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve(summary(code === 0, Buffer.concat(output).toString())));
    child.stdin.on('error', () => undefined);
    child.stdin.end(document);
  });
}

/** Our report in the words of the real program. */
function ours(document: Buffer): readonly string[] {
  const { findings, valid } = validateConfig(document);
  const own = findings.filter(({ severity }) => severity !== 'info');
  return summary(valid, own.map(formatAsReal).join('\n'));
}

function formatAsReal({ message, path, position, rule, severity }: Finding): string {
  if (['empty', 'version-malformed', 'version-unsupported'].includes(rule))
    return `couldn't parse config: ${message}`;
  const named = path.length === 0 ? [] : [formatPath(path)];
  const { line, column } = position ?? { line: 0, column: 0 };
  const places =
    position !== undefined || named.length === 0 ? [...named, `line ${line} col ${column}`] : named;
  return `${severity} at ${places.join(', ')}: ${message}`;
}

/** The order of the unused keys of one object varies from run to run. */
function summary(valid: boolean, report: string): readonly string[] {
  const lines = report.split('\n').map((line) => line.trim());
  return [valid ? 'valid' : 'invalid', ...lines.filter((line) => line !== '').toSorted()];
}
