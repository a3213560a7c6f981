import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { declareCommands } from '../../src/cli/commands.ts';
import { runCli } from '../support/runCli.ts';

const io = {
  stdin: Readable.from([]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '/',
  programName: 'ironic-coreos',
};
const declare = (args: readonly string[] | 'unknown') =>
  declareCommands({ io, args, finish: () => undefined, print: () => undefined });
const namesFor = async (args: readonly string[] | 'unknown') =>
  (await declare(args)).commands.map((command) => command.name());

describe('declareCommands', async () => {
  const all = await namesFor('unknown');

  it.each(all)('%s alone if it is asked for', async (name) => {
    expect(await namesFor([name])).toEqual([name]);
  });

  it.each(['valdate', '--help', '', 'constructor'])('all for %j', async (asked) => {
    expect(await namesFor([asked])).toEqual(all);
  });
});

describe('command line', () => {
  it('suggests among all commands', async () => {
    const { code, stderr } = await runCli(['valdate', 'x.ign']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean validate?');
  });

  it('shows the same help of a command in both ways', async () => {
    const alone = await runCli(['validate', '--help']);
    expect(alone.stdout).toContain('Usage: ironic-coreos validate');
    expect(alone.code).toBe(0);
  });
});
