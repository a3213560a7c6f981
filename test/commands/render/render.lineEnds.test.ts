/** Inputs whose lines end in CR LF, as on Windows. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../support/runCli.ts';

const options = ['--api-url', 'https://192.0.2.1', '--no-ssh-key', '--agent-image', 'r.example.com/a:1'];

describe('inputs with CR LF', () => {
  let cwd = '';
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'line ends '));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  it('a conf: render writes it with LF', async () => {
    writeFileSync(join(cwd, 'a.conf'), '[DEFAULT]\r\nlookup_timeout = 60\r\n');
    const { code, stdout } = await runCli(['render', ...options, '--conf', 'a.conf'], { cwd });
    expect(code).toBe(0);
    const texts = Array.from(stdout.matchAll(/base64,([\w+/=]+)/g), ([, encoded = '']) =>
      Buffer.from(encoded, 'base64').toString(),
    );
    expect(texts.find((text) => text.includes('lookup_timeout'))).toMatch(/^lookup_timeout = 60$/m);
    expect(texts.join('')).not.toContain('\r');
  });
});
