import { describe, expect, it } from 'vitest';
import { adaptArguments } from '../../src/cli/arguments.ts';
import { runCli } from '../support/runCli.ts';
import { wholeProgram } from '../support/wholeProgram.ts';

describe('adaptArguments', () => {
  it.each<[string, string[], string[]]>([
    ['a sign behind a short option', ['iso', 'reset', '-o=a=b', 'x'], ['iso', 'reset', '-oa=b', 'x']],
    ['nothing behind the sign', ['iso', 'reset', '-o='], ['iso', 'reset', '-o=']],
    ['a long option', ['iso', 'reset', '--output=x'], ['iso', 'reset', '--output=x']],
    ['behind the end of options', ['iso', 'reset', '--', '-o=x'], ['iso', 'reset', '--', '-o=x']],
    ...['--append', '-a', '--delete', '-r'].map((option): [string, string[], string[]] => [
      `a value of ${option}`,
      ['iso', 'kargs', 'modify', option, '-x=y', '-a=-z=1', '-o=out'],
      ['iso', 'kargs', 'modify', option, '-x=y', '-a-z=1', '-oout'],
    ]),
    [
      'an end of options that is a value',
      ['iso', 'kargs', 'modify', '-a', '--', '-o=x'],
      ['iso', 'kargs', 'modify', '-a', '--', '-ox'],
    ],
    ['a flag without a value', ['iso', 'reset', '--force', '-o=x'], ['iso', 'reset', '--force', '-ox']],
    [
      'flags of Go',
      ['serve', '-nmstate-dir', 'x', '-images-bind-addr=:1', '--open', '-h'],
      ['serve', '--nmstate-dir', 'x', '--images-bind-addr=:1', '--open', '-h'],
    ],
    [
      'a value like a flag of Go',
      ['serve', '-nmstate-dir', '-tls-cert'],
      ['serve', '--nmstate-dir', '-tls-cert'],
    ],
    ['flags that serve does not have', ['serve', '-nonsense'], ['serve', '-nonsense']],
    ['flags of other commands', ['render', '-profile', 'x'], ['render', '-profile', 'x']],
  ])('%s', (_title, args, expected) => {
    let command = wholeProgram();
    const rest = args.filter((arg) => {
      const child = command.children.find((one) => one.name() === arg);
      command = child ?? command;
      return child === undefined;
    });
    const words = args.slice(0, args.length - rest.length);
    expect([...words, ...adaptArguments(rest, command)]).toEqual(expected);
  });
});

describe('help', () => {
  it('has one line for each command, within 80 columns', async () => {
    for (const args of [[], ['iso'], ['pxe'], ['iso', 'kargs'], ['deploy'], ['ignition']]) {
      const { stdout } = await runCli([...args, '--help']);
      const headings = /^(?:Commands|Start|Images|Serve|Deploy|Tools):\n((?:.*\n)*?)(?:\n|$)/gm;
      const blocks = Array.from(stdout.matchAll(headings), ([, lines = '']) => lines);
      expect(blocks).toHaveLength(args.length === 0 ? 5 : 1);
      for (const block of blocks) expect(block).toMatch(/^(?: {2}[a-z-]+ +\S.*\n)+$/);
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  it.each([
    ['iso', 'nonsense', '-h'],
    ['pxe', 'nonsense', '--help'],
    ['iso', 'ignition', 'show', '--version'],
  ])('%s %s %s is a mistake', async (...args) => {
    expect((await runCli(args)).code).toBe(2);
  });
});
