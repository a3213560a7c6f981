import { describe, expect, it } from 'vitest';
import {
  formatInvalid,
  type HostRun,
  reportGroups,
  type ListedHost,
  type MakeHost,
  makeHosts,
} from '../../src/hosts/hostRun.ts';
import { CliError } from '../../src/core/errors.ts';
import type { Io } from '../../src/io/io.ts';
import { report } from '../../src/io/report/report.ts';
import { hosts, testRun } from './support.ts';

async function namesOf(
  list: readonly ListedHost[],
  make: MakeHost<ListedHost, string>,
  run: HostRun,
): Promise<string[]> {
  const names: string[] = [];
  for await (const { made } of makeHosts(list, make, run)) names.push(made);
  return names;
}

const named: MakeHost<ListedHost, string> = async ({ name }) => name;
const busy: MakeHost<ListedHost, string> = async ({ name }) => {
  const end = performance.now() + 5;
  while (performance.now() < end);
  return name;
};
const fails: MakeHost<ListedHost, string> = async ({ name }) => {
  if (name !== 'c') throw new CliError('it is wrong', { code: 'ERR_SETTING', hint: 'change it' });
  return name;
};

const hasDefect: MakeHost<ListedHost, string> = async ({ name }) => (name === 'a' ? ''.repeat(-1) : name);

const error = { severity: 'error', message: 'no' } as const;
const wrongHost = (name: string, line: number): ListedHost => ({
  name,
  at: { file: 'h.yaml', line },
  problems: [error],
});

describe('makeHosts', () => {
  it('leaves turns to requests and signals, also if no host waits for anything', async () => {
    const { run } = testRun();
    const list = hosts(...Array.from({ length: 50 }, (_, index) => `host-${index}`));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    expect(await namesOf(list, busy, run)).toHaveLength(50);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });

  it('gives hosts in their order, with what was said of them', async () => {
    const { run, told } = testRun();
    const said: unknown[] = [];
    const made = makeHosts(
      hosts('a', 'b'),
      async ({ name }, io) => {
        report(io, { severity: 'warning', message: name });
        return name;
      },
      run,
    );
    for await (const host of made)
      said.push([host.host.at.line, host.made, host.remarks.map(({ message }) => message)]);
    expect(said).toEqual([
      [1, 'a', ['a']],
      [2, 'b', ['b']],
    ]);
    expect(told()).toBe('<end>');
  });

  it('goes on behind hosts that are wrong, and tells the same once', async () => {
    const { run, told } = testRun({ done: 'rendered' });
    expect(await namesOf(hosts('a', 'b', 'c'), fails, run)).toEqual(['c']);
    reportGroups(run);
    expect(told()).toBe(
      '<end>error: 2 hosts are not rendered: it is wrong\n  --> h.yaml:1 and 1 more: a, b\nhint: change it\n',
    );
    expect(formatInvalid(run)).toBe('2 invalid');
  });

  it.each([
    ['findings', named, [wrongHost('a', 1)], ': no\n'],
    [
      'what was reported, once',
      async (_host: unknown, io: Io) => {
        report(io, error, error, { severity: 'error', message: 'also no' });
        return undefined;
      },
      hosts('a'),
      ':\nerror: no\nerror: also no\n',
    ],
    [
      'an error below what was reported',
      async (_host: unknown, io: Io) => {
        report(io, { severity: 'warning', message: 'hm' });
        throw new CliError('see above', { code: 'ERR_SETTING' });
      },
      hosts('a'),
      ':\nwarning: hm\nerror: see above\n',
    ],
    [
      'one line',
      async () => Promise.reject(new CliError('no\u001b', { code: 'ERR_SETTING' })),
      hosts('a'),
      ': no\\u001b\n',
    ],
    [
      'a defect of this program, without what it may quote',
      async () => Promise.reject(new RangeError('hunter2')),
      hosts('a'),
      ': internal error (RangeError)\nhint: run "ironic-coreos --debug COMMAND …" and report its output\n',
    ],
    [
      'what is no error',
      async () => Promise.reject('hunter2'),
      hosts('a'),
      ': internal error (string)\nhint: run "ironic-coreos --debug COMMAND …" and report its output\n',
    ],
  ])('tells %s', async (_title, make, list, text) => {
    const { run, told } = testRun();
    expect(await namesOf(list, make, run)).toEqual([]);
    reportGroups(run);
    expect(told().replaceAll('<end>', '')).toBe(`error: a is not written (h.yaml:1)${text}`);
  });

  it('stops at the first that is wrong, where it should', async () => {
    const { run, told } = testRun({ failFast: true });
    expect(await namesOf(hosts('c', 'a', 'c'), fails, run)).toEqual(['c']);
    reportGroups(run);
    expect(told()).toContain('a is not written');
    expect(formatInvalid(run)).toBe('1 invalid; stopped (--fail-fast)');
  });

  it('goes on behind a defect, and names its place in a note', async () => {
    const notes: string[] = [];
    const { run: usual } = testRun();
    const run = { ...usual, io: { ...usual.io, note: (text: string) => void notes.push(text) } };
    expect(await namesOf(hosts('a', 'b'), hasDefect, run)).toEqual(['b']);
    expect(notes.join('\n')).toMatch(/^at .*makeHosts\.test\.ts/m);
    expect(notes.join('\n')).not.toContain('Invalid count');
  });

  it('stops before all others at one that is not described right', async () => {
    const { run, told } = testRun({ failFast: true });
    const list = [...hosts('a', 'b'), wrongHost('z', 9)];
    expect(await namesOf(list, named, run)).toEqual([]);
    reportGroups(run);
    expect(told()).toContain('z is not written (h.yaml:9)');
  });

  it.each([
    ['a full disk', async () => Promise.reject(new CliError('full', { code: 'ERR_DISK_FULL' })), 'full'],
    ['whoever takes the hosts', named, 'taken'],
  ])('takes the progress away where %s ends it', async (_title, make, message) => {
    const { run, told } = testRun();
    const take = async (): Promise<void> => {
      for await (const { made } of makeHosts(hosts('a', 'b'), make, run)) throw new Error(`taken ${made}`);
    };
    await expect(take()).rejects.toThrow(message);
    expect(told()).toBe('<end>');
  });
});
