/** Two edits of one image at a time: one follows the other, or is refused; never is the image damaged or one of them lost. */

import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { runCli } from '../support/runCli.ts';
import { startProgram } from '../support/runProgram.ts';

type Words = readonly string[];

const ROUNDS = 2;

let cwd: string;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'pairs of edits ')));
  await writeFile(join(cwd, 'original.iso'), liveIso('2023-07'));
  for (const name of ['a', 'b']) {
    const noise = createHash('shake256', { outputLength: 340_000 }).update(name).digest('base64');
    await writeFile(join(cwd, `large ${name}.ign`), noise);
    await writeFile(join(cwd, `small ${name}.ign`), name);
  }
});
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true });
});

const embed = (config: string, ...more: Words): Words => [
  'iso',
  'ignition',
  'embed',
  '--no-validate',
  '-i',
  config,
  ...more,
];
const digest = async (name: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(cwd, name)))
    .digest('hex');

/** Code and errors of one after the other, and the image then. */
async function inTurn(first: Words, second: Words): Promise<string> {
  await copyFile(join(cwd, 'original.iso'), join(cwd, 'turn.iso'));
  const codes = [];
  for (const words of [first, second]) codes.push((await runCli([...words, 'turn.iso'], { cwd })).code);
  return `${codes.join()} ${await digest('turn.iso')}`;
}

async function endOf(child: ChildProcess): Promise<{ code: unknown; stderr: string }> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = await once(child, 'close');
  return { code, stderr };
}

it.each<[string, Words, Words]>([
  ['grow and grow', embed('large a.ign', '--grow', '-f'), embed('large b.ign', '--grow', '-f')],
  [
    'grow and grow, each only where there is no config',
    embed('large a.ign', '--grow'),
    embed('large b.ign', '--grow'),
  ],
  ['embed and kernel arguments', embed('small a.ign', '-f'), ['iso', 'kargs', 'modify', '-a', 'x=1']],
  [
    'kernel arguments twice',
    ['iso', 'kargs', 'modify', '-a', 'y=1'],
    ['iso', 'kargs', 'modify', '-a', 'x=1'],
  ],
  ['grow and reset', embed('large a.ign', '--grow', '-f'), ['iso', 'reset']],
])('%s', async (_name, first, second) => {
  const [oneWay, otherWay] = [await inTurn(first, second), await inTurn(second, first)];
  const turned = otherWay.replace(/^(\d),(\d)/, '$2,$1');
  for (let round = 0; round < ROUNDS; round++) {
    await copyFile(join(cwd, 'original.iso'), join(cwd, 'image.iso'));
    const order = round % 2 === 0 ? [first, second] : [second, first];
    const children = order.map((words) => startProgram([...words, 'image.iso'], cwd));
    const ends = await Promise.all(children.map(endOf));
    const [one, other] = round % 2 === 0 ? ends : ends.toReversed();
    expect([oneWay, turned]).toContain(
      `${String(one?.code)},${String(other?.code)} ${await digest('image.iso')}`,
    );
    const refusals = ends.filter(({ code }) => code !== 0).map(({ stderr }) => stderr);
    for (const refusal of refusals) expect(refusal).toMatch(/^error: .*\n(hint: .*\n)?$/);
    expect((await readdir(cwd)).filter((name) => name.startsWith('.'))).toEqual([]);
  }
});
