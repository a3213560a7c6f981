import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { runProgram } from '../../../src/io/programs.ts';
import { runNmstatectl } from '../../../src/hosts/input/nmstatectl.ts';
import { nmstatectl, nmstatectlNote } from '../../support/nmstatectl.ts';

const env = { PATH: process.env['PATH'] };
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nmstatectl test '));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The path of a shell script that stands in for nmstatectl. */
function script(name: string, body: string): string {
  const path = join(folder, name, 'nmstatectl');
  mkdirSync(join(folder, name));
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The message of the error. */
async function failure(program: string): Promise<string> {
  const error: unknown = await runNmstatectl('{}', program, env).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CliError);
  return error instanceof CliError ? error.message : '';
}

describe('runNmstatectl', () => {
  it('gives the text as a file, and the keyfiles that come back', async () => {
    const program = script(
      'echo',
      `test "$1" = gc || exit 9
printf 'NetworkManager:\\n- - a.nmconnection\\n  - |\\n'
sed 's/^/    /' "$2"
printf -- "- - 'b c.nmconnection'\\n  - x\\n"`,
    );
    const keyfiles = await runNmstatectl('[connection]\nid=ä\n', program, env);
    expect(keyfiles).toEqual([
      { name: 'a.nmconnection', text: '[connection]\nid=ä\n' },
      { name: 'b c.nmconnection', text: 'x' },
    ]);
  });

  it('takes a large state', async () => {
    const program = script('large', 'size=$(wc -c < "$2"); echo "NetworkManager: [[a, \'$size\']]"');
    const [keyfile] = await runNmstatectl('x'.repeat(3_000_000), program, env);
    expect(keyfile?.text.trim()).toBe('3000000');
  });

  it('leaves no file behind', async () => {
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary); // other processes use that of the system
    const isUsed = `test -n "$(ls '${temporary}')" && echo "NetworkManager: []"`;
    await runNmstatectl('{}', script('clean', isUsed), env).finally(() => vi.unstubAllEnvs());
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('says what nmstatectl says, without its log', async () => {
    const said = `echo '[2026-01-01T00:00:00Z INFO  nmstate::x] chatter' >&2
printf 'InvalidArgument: \\033[31mno such key\\n' >&2
exit 1`;
    expect(await failure(script('refuse', said))).toBe(
      'nmstatectl rejected the network state: InvalidArgument:  [31mno such key',
    );
  });

  it.each([
    ['silence', 'exit 3', 'exit code 3'],
    ['no YAML', 'echo "a: b: c"', 'not a list of keyfiles'],
    ['other YAML', 'echo "NetworkManager: [a]"', 'not a list of keyfiles'],
    ['a path for a name', 'echo "NetworkManager: [[../../etc/passwd, x]]"', 'not a list of keyfiles'],
    ['a signal', 'kill -TERM $$', 'was killed by SIGTERM'],
    ['endless output', 'yes', 'was killed by SIGKILL'],
  ])('refuses %s', async (title, body, message) => {
    expect(await failure(script(title, body))).toContain(message);
  });

  it('runs on a process that is killed if it takes too long', async () => {
    const slow = script('slow', 'exec sleep 60');
    const { signal } = await runProgram(slow, [], { env, timeout: 300, maxBuffer: 1 });
    expect(signal).toBe('SIGKILL');
  });

  it('says that the program is not there', async () => {
    expect(await failure(join(folder, 'nowhere'))).toContain('file not found');
  });

  it('says that the program may not be run', async () => {
    const path = script('plain', 'exit 0');
    chmodSync(path, 0o644);
    expect(await failure(path)).toContain('not an executable file');
  });
});

describe.skipIf(nmstatectl === undefined)(`the real nmstatectl${nmstatectlNote}`, () => {
  const program = nmstatectl ?? '';

  it('gives keyfiles', async () => {
    const keyfiles = await runNmstatectl(
      'interfaces: [{name: eth0, ipv4: {enabled: true, dhcp: true}}]',
      program,
      env,
    );
    expect(keyfiles.map(({ name }) => name)).toEqual(['eth0.nmconnection']);
  });

  it('refuses what is no network state', async () => {
    await expect(runNmstatectl('interfaces: 5', program, env)).rejects.toThrow(
      'nmstatectl rejected the network state',
    );
  });
});
