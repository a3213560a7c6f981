/** Options that are given twice, for all commands that take one value of them. */

import { describe, expect, it } from 'vitest';
import { runCli } from '../support/runCli.ts';

const value = 'hunter2';

/** The last line of a usage error, from the first one of the help. */
async function usageOf(command: string): Promise<string> {
  const { stdout } = await runCli([...command.split(' '), '--help']);
  return `${stdout.split('\n', 1)[0]?.replace('Usage', 'usage')} (see --help)\n`;
}

describe('an option that is given twice', () => {
  it.each([
    ['quickstart', '-C', '-C, --directory <folder>'],
    ['render', '--api-url', '--api-url <urls>'],
    ['render', '--no-proxy', '--no-proxy <hosts>'],
    ['render', '--output', '-o, --output <file>'],
    ['validate', '--ipa-version', '--ipa-version <release>'],
    ['ignition merge', '--output', '-o, --output <file>'],
    ['ignition translate', '--output', '-o, --output <file>'],
    ['pxe kargs', '--ignition-url', '--ignition-url <url>'],
    ['deploy steps', '--config-drive', '--config-drive <file>'],
    ['deploy configdrive', '--ignition', '--ignition <file>'],
    ['deploy baremetalhost', '--bmc-address', '--bmc-address <url>'],
    ['deploy node', '--name', '--name <name>'],
  ])('%s %s is refused, and its value not shown', async (command, flag, flags) => {
    expect(await runCli([...command.split(' '), flag, value, flag, value])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: option '${flags}' cannot be used multiple times\n${await usageOf(command)}`,
    });
  });

  it.each([
    ['render', '--debug'],
    ['render', '--no-ssh-key'],
    ['deploy node', '--set'],
    ['deploy steps', '--copy-network'],
    ['deploy configdrive', '--fail-fast'],
  ])('%s %s is refused without a value, too', async (command, flag) => {
    const { code, stderr } = await runCli([...command.split(' '), flag, flag]);
    const expected = `error: option '${flag}' cannot be used multiple times\n${await usageOf(command)}`;
    expect([code, stderr]).toEqual([2, expected]);
  });

  it('makes a list where it is one', async () => {
    const { stderr } = await runCli(['deploy', 'steps', '--append-karg', 'a', '--append-karg', 'b']);
    expect(stderr).toContain('pass the file to write: --config-drive FILE');
  });
});
