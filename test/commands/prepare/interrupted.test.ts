/** Ctrl-C: what stays of the folder. */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startProgram } from '../../support/runProgram.ts';
import { place } from './support.ts';

const { path, write } = place();

it('says what stays, and what the next run does', async () => {
  // A pipe that stays open, and to which nothing is written.
  spawnSync('mkfifo', [path('key.pub')]);
  const writer = spawn('sh', ['-c', 'exec sleep 60 <> key.pub'], { cwd: path('') });
  const image = 'agent.image: quay.io/x';
  await write(
    'slow.yaml',
    `agent: {ironic.apiUrls: http://h, ${image}}\nhosts: [{name: a}, {name: b, overrides: {host.sshKeys: key.pub}}]`,
  );
  const child = startProgram(
    ['prepare', '--inventory', 'slow.yaml', '-o', 'slow', '--artifacts', 'ign'],
    path(''),
  );
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await expect.poll(() => existsSync(path('slow/hosts/a/config.ign')), { timeout: 20_000 }).toBe(true);
  child.kill('SIGINT');
  const [, signal] = await once(child, 'close');
  writer.kill();
  expect(signal).toBe('SIGINT');
  expect(said).toMatch(
    /^slow: interrupted after \d+ files?; each machine boots its previous or its new files, and the next run continues with them\n$/,
  );
});
