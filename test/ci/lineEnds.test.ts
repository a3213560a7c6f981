/** A checkout has the same bytes everywhere: tests compare bytes, and machines get the templates as they are. */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

const FILES = [
  'templates/agent/ironic-agent.service',
  'templates/agent/hostname',
  'test/golden/commandTree.txt',
  'test/trial/corpus/healthy.log', // its lines end in CR LF
  'test/trial/corpus/grub-no-config.log', // lines end in CR, LF and both
  'docs/images/serve-status.webp',
  '.gitattributes',
];

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd });
}

it('a clone has the same bytes if Git is configured for CR LF, as on Windows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'line ends '));
  try {
    const origin = join(folder, 'origin');
    for (const file of FILES) {
      mkdirSync(dirname(join(origin, file)), { recursive: true });
      copyFileSync(join(root, file), join(origin, file));
    }
    git(origin, 'init', '--quiet');
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message', 'Files');
    git(folder, 'clone', '--quiet', '-c', 'core.autocrlf=true', '-c', 'core.eol=crlf', origin, 'clone');
    const differ = FILES.filter(
      (file) => !readFileSync(join(folder, 'clone', file)).equals(readFileSync(join(root, file))),
    );
    expect(differ).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
