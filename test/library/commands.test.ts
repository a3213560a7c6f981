/** `ironic-coreos/commands` has all commands of the command line. */

import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { describeCommand, withDescendants } from '../../src/cli/describeCommand.ts';
import * as commands from '../../src/library/commands.ts';
import type { ExitCode, Io } from '../../src/library/commands.ts';
import { liveIso } from '../support/liveIso.ts';
import { runCli } from '../support/runCli.ts';
import { wholeProgram } from '../support/wholeProgram.ts';

/** Commands about the command line itself. */
const others = new Set(['completion', 'man', 'help', 'version']);

const nameOf = (words: readonly string[]): string =>
  words.join('-').replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());

/** The files that this process has open; none where the system does not list them. */
function openFiles(): readonly string[] {
  const folder = '/proc/self/fd';
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      return []; // the listing itself
    }
  });
}

describe('ironic-coreos/commands', () => {
  it('exports each command that help lists, by its words', () => {
    const [, ...all] = withDescendants(describeCommand(wholeProgram()));
    const leaves = all.filter(
      ({ words }) =>
        !all.some(
          (other) => other.words.length > words.length && words.every((word, at) => other.words[at] === word),
        ),
    );
    const names = leaves.map(({ words }) => nameOf(words.slice(1))).filter((name) => !others.has(name));
    expect(names.length).toBeGreaterThan(30);
    const exported = Object.keys(commands).filter((name) => !/^[A-Z]|^createIo$/.test(name));
    expect(exported.toSorted()).toEqual(
      names.map((name) => ({ try: 'tryRamdisk', import: 'importHosts' })[name] ?? name).toSorted(),
    );
  });

  it('runs a command with the streams that are given, and those of the process otherwise', async () => {
    let printed = '';
    const stdout = new Writable({
      write: (chunk, _encoding, done) => {
        printed += String(chunk);
        done();
      },
    });
    const rule = 'path-relative';
    expect(await commands.explain({ rule }, { stdout })).toBe(0);
    expect(printed).toBe((await runCli(['explain', rule])).stdout);
    expect(commands.createIo({ cwd: '/' })).toMatchObject({
      cwd: '/',
      env: process.env,
      programName: 'ironic-coreos',
    });
  });

  it('has the function of each command', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'commands '));
    const output = new Writable({ write: (_chunk, _encoding, done) => done() });
    const functions = Object.entries(commands).filter(([name]) => !/^[A-Z]|^createIo$/.test(name));
    const missing: string[] = [];
    for (const [name, run] of functions) {
      const streams = { stdin: Readable.from([]), stdout: output, stderr: output };
      const io = { cwd, env: {}, signal: AbortSignal.timeout(200), ...streams };
      const result: unknown = await Reflect.apply(run, undefined, [{}, io]).catch((error: unknown) => error);
      if (/is not a function/.test(String(result))) missing.push(name);
    }
    expect(missing).toEqual([]);
    rmSync(cwd, { recursive: true });
  });

  it.each<[string, (io: Partial<Io>) => Promise<ExitCode>, RegExp]>([
    ['serve', (io) => commands.serve({ inventory: 'hosts.yaml', iso: ['coreos.iso'], listen: '127.0.0.1:0', open: true }, io), /"event":"ready"/], // prettier-ignore
    ['try', (io) => commands.tryRamdisk({ listen: '127.0.0.1:0' }, io), /listening on /],
    ['try with images', (io) => commands.tryRamdisk({ inventory: 'hosts.yaml', iso: ['coreos.iso'], listen: '127.0.0.1:0', serveListen: '127.0.0.1:0' }, io), /\.iso\n/], // prettier-ignore
  ])('%s runs until the signal, without listening to those of the process', async (_name, start, isReady) => {
    const cwd = mkdtempSync(join(tmpdir(), 'service '));
    writeFileSync(join(cwd, 'coreos.iso'), liveIso('2023-07'));
    const agent = { 'ironic.apiUrls': ['https://192.0.2.1:6385'], 'agent.image': 'registry.example.com/a' };
    writeFileSync(join(cwd, 'hosts.yaml'), JSON.stringify({ agent, hosts: [{ name: 'worker-0' }] }));
    const listeners = process.listenerCount('SIGTERM');
    const abort = new AbortController();
    let said = '';
    const stderr = new Writable({
      write: (chunk, _encoding, done) => {
        said += String(chunk);
        if (isReady.test(said)) abort.abort();
        done();
      },
    });
    const code = await start({ cwd, stderr, stdout: stderr, env: {}, signal: abort.signal });
    await expect.poll(() => openFiles().filter((path) => path.startsWith(cwd))).toEqual([]);
    rmSync(cwd, { recursive: true });
    expect({ code, said }).toEqual({ code: expect.any(Number), said: expect.stringMatching(isReady) });
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
  });

  it('throws the reason of the signal', async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    await expect(commands.explain({ rule: 'path-relative' }, { signal })).rejects.toBe(reason);
  });
});
