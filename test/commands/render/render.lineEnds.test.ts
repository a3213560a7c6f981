/** Inputs whose lines end in CR LF, as on Windows: `render` and `validate` report the same. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, type RunResult } from '../../support/runCli.ts';

const options = ['--api-url', 'https://192.0.2.1', '--no-ssh-key', '--agent-image', 'r.example.com/a:1'];
const script = '#!/bin/bash\r\necho hello\r\n';
const unit =
  '[Unit]\r\nDescription=Hello\r\n[Service]\r\nExecStart=/usr/bin/true\r\n[Install]\r\nWantedBy=multi-user.target\r\n';
const source = `data:,${encodeURIComponent(script)}`;

/** The messages about `hello`, without their consequence. */
function messagesIn({ stdout, stderr }: RunResult): readonly (string | undefined)[] {
  return Array.from(
    `${stdout}${stderr}`.matchAll(/^(?:error|warning): hello: (.*?)(?:, so .*)?$/gm),
    ([, message]) => message,
  );
}

describe('inputs with CR LF', () => {
  let cwd = '';
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'line ends '));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  it.each([
    [
      'a script',
      ['--file', '/usr/local/bin/hello=hello,mode=0755'],
      { storage: { files: [{ path: '/usr/local/bin/hello', mode: 0o755, contents: { source } }] } },
      ['the lines of the script end in CR LF'],
      1,
    ],
    // systemd reads it as with LF.
    [
      'a unit',
      ['--unit', 'hello.service'],
      { systemd: { units: [{ name: 'hello.service', contents: unit }] } },
      [],
      0,
    ],
  ])('%s: render reports what validate reports', async (_title, args, config, messages, code) => {
    writeFileSync(join(cwd, 'hello'), script);
    writeFileSync(join(cwd, 'hello.service'), unit);
    writeFileSync(join(cwd, 'a.ign'), JSON.stringify({ ignition: { version: '3.2.0' }, ...config }));
    const rendered = await runCli(['render', ...options, ...args], { cwd });
    const validated = await runCli(['validate', 'a.ign'], { cwd });
    expect([messagesIn(rendered), rendered.code]).toEqual([messages, code]);
    // The config does not run the agent, so what lint finds is a warning.
    expect([messagesIn(validated), validated.code]).toEqual([messages, 0]);
  });

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
