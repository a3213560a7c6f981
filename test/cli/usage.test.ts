/** What the program says to those who do not know it yet: how errors of the command line end, and `help`. */

import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/runCli.ts';
import { wholeProgram } from '../support/wholeProgram.ts';

const run = (line: string) => runCli(line.split(' ').filter(Boolean));

const below = (command: Command, parents: readonly string[] = []): string[] =>
  command.commands.flatMap((child) => {
    const words = [...parents, child.name()];
    return [words.join(' '), ...below(child, words)];
  });
const paths = below(wholeProgram());

describe('an error of the command line', () => {
  it('ends with the usage line of its command', async () => {
    for (const path of ['', ...paths]) {
      const { code, stderr } = await run(`${path} --no-such-option`);
      expect.soft(code, path).toBe(2);
      const { stdout } = await run(`${path} --help`);
      const usage = stdout.split('\n', 1)[0]?.replace('Usage', 'usage');
      expect.soft(stderr, path).toMatch(/^error: (?:unknown|required) option .*\n/);
      expect.soft(stderr.split('\n').slice(1), path).toEqual([`${usage} (see --help)`, '']);
    }
  });

  it.each([
    ['an unknown command', 'rendr', '[options] COMMAND'],
    ['a missing argument', 'iso ignition embed', 'iso ignition embed [options] <ISO>'],
    ['too many arguments', 'iso ignition show a b', 'iso ignition show [options] <ISO>'],
    ['a wrong value', 'iso ignition remove --mode 9 a.iso', 'iso ignition remove [options] <ISO>'],
    ['what a command finds wrong', 'render', 'render [options]'],
    ['errors alone', '--quiet explain nonsense', 'explain [options] [ID]'],
  ])('%s', async (_title, line, usage) => {
    const { code, stderr } = await run(line);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: /);
    expect(stderr.endsWith(`\nusage: ironic-coreos ${usage} (see --help)\n`)).toBe(true);
  });

  it('a comparison that failed is none, although it ends with 2', async () => {
    const { code, stderr } = await run('inspect missing missing');
    expect(code).toBe(2);
    expect(stderr).toContain('error: ');
    expect(stderr).not.toContain('usage: ');
  });

  it.each([
    ['render --url x', '--api-url <urls>: '],
    ['render --ironic-url=x', '--api-url <urls>: '],
    ['render --cacert x', '--ca-file <file>: '],
    ['pxe kargs --ironic-url x', '--api-url <urls>: '],
    ['pxe kargs --url x', 'one of --base-url <url>, --api-url <urls>'],
    ['serve --port 1', '--listen <address>: '],
    ['serve -p 1', '--listen <address>: '],
    ['try --port 1', '--listen <address>: '],
    ['try --api-url x', '--ironic-url <url>: '],
    ['try --url x', 'one of --ironic-url <url>, --public-url <url>'],
    ['controller --port 1', '--listen <address>: '],
    ['prepare --url x', '--base-url <url>: '],
    ['download --url x', '-u, --image-url <url>: '],
    ['iso ignition embed --config x y', '-i, --ignition-file <path>: '],
    ['iso ignition embed live.iso a.ign', '-i, --ignition-file <path>: '],
    ['iso ignition remove --force x', '--overwrite: '],
    ['iso kargs show --json x', '--format <form>: '],
    ['render ramdisk.yaml', '--inventory <file>: '],
    ['serve --cert x', '--tls-cert <file>: '],
    ['serve --key x', '--tls-key <file>: '],
    ['deploy baremetalhost --user-data x', '--ignition <file>: '],
    ['prepare -i x', '--inventory <file>: '],
    ['controller --inventory x', '--settings <file>: '],
    ['boot worker-0 --settings x', '--inventory <file>: '],
  ])('%s: the hint is %j', async (line, hint) => {
    const { code, stderr } = await run(line);
    expect(code).toBe(2);
    expect(stderr).toContain(`hint: use ${hint}`);
  });

  it.each([
    ['prepare --api-url x', 'ironic.apiUrls', '--inventory'],
    ['prepare --ironic-url x', 'ironic.apiUrls', '--inventory'],
    ['serve --ssh-key x', 'host.sshKeys', '--inventory'],
    ['serve --ca-file x', 'ironic.caFiles', '--inventory'],
    ['try --inspector x', 'ironic.inspectionCallbackUrls', '--inventory'],
    ['boot --karg x', 'boot.kernelArguments', '--inventory'],
    ['controller --agent-image x', 'agent.image', '--settings'],
  ])('%s: the hint is the setting %s in the file', async (line, setting, file) => {
    const { code, stderr } = await run(line);
    expect(code).toBe(2);
    expect(stderr).toContain(`hint: set "${setting}" below "agent" in the file of ${file}\n`);
  });

  it('escapes what it quotes', async () => {
    const { stderr } = await runCli(['\u001b[31mred']);
    expect(stderr).toContain("error: unknown command '\\u001b[31mred'\n");
  });

  it('an argument too many is named', async () => {
    const { stderr } = await run('iso ignition show live.iso other.iso');
    expect(stderr).toContain('hint: remove "other.iso", or quote an argument that contains spaces\n');
  });

  it.each(['explain --url x', 'validate --port 1 x', 'man --constructor', 'deploy node --ssh-key x'])(
    '%s: there is no hint',
    async (line) => {
      expect((await run(line)).stderr).not.toContain('hint: ');
    },
  );
});

describe('help', () => {
  it('of each command is that of its --help', async () => {
    for (const path of ['', ...paths]) {
      const { code, stdout, stderr } = await run(`help ${path}`);
      expect.soft([code, stderr], path).toEqual([0, '']);
      expect.soft(stdout, path).toBe((await run(`${path} --help`)).stdout);
    }
  });

  it.each([
    ['iso help', 'iso --help'],
    ['iso help ignition embed', 'iso ignition embed --help'],
    ['iso ignition help embed', 'iso ignition embed --help'],
    ['--verbose help iso', 'iso --help'],
    ['help --quiet iso', 'iso --help'],
    ['help -- iso', 'iso --help'],
    ['help nonsense', 'nonsense'],
    ['help iso nonsense', 'iso nonsense'],
    ['iso help nonsense', 'iso nonsense'],
  ])('%s: as %s', async (line, other) => {
    expect(await run(line)).toEqual(await run(other));
  });

  it('leaves the arguments of commands alone', async () => {
    expect((await run('explain help')).stderr).toContain('unknown ID: "help"');
  });
});
