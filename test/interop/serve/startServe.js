// @ts-check
/** The command `serve` as it is built, as a process of its own, for tests and benchmarks. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../../bin/ironic-coreos.js');

/** @typedef {import('./startServe.d.ts').ServeEvent} ServeEvent */

/** @type {typeof import('./startServe.d.ts').startServe} */
export async function startServe(args, { cwd, env = {}, nodeOptions = [], descriptors, runner = [] }) {
  const { PATH, HOME } = process.env;
  const command = [
    ...(descriptors === undefined ? [] : ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`]),
    ...runner,
    process.execPath,
    ...nodeOptions,
    program,
    'serve',
    '--format',
    'json',
    '--log',
    'json',
    ...args,
  ];
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => void child.on('close', resolve));
  const log = followLog(child.stderr);
  const { boot, hosts } = await Promise.race([
    readDocument(child.stdout),
    ended.then((code) => {
      throw new Error(`serve has ended with ${code}: ${log.text()}`);
    }),
  ]);
  const { pid = 0 } = child;
  return {
    pid,
    boot,
    hosts,
    url: (name, artifact) => {
      const url = hosts.find((host) => host.name === name)?.urls[artifact];
      if (url === undefined) throw new Error(`there is no ${artifact} of ${name}`);
      return url;
    },
    events: log.events,
    whenEvent: log.whenEvent,
    signal: (name) => void child.kill(name),
    ended,
    usage: () => usageOf(pid),
  };
}

/**
 * @param {import('node:stream').Readable} stdout
 * @returns {Promise<Pick<import('./startServe.d.ts').ServeProcess, 'boot' | 'hosts'>>}
 */
function readDocument(stdout) {
  return new Promise((resolve) => {
    let text = '';
    stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('\n}\n')) resolve(JSON.parse(text));
    });
  });
}

/** @param {import('node:stream').Readable} stderr */
function followLog(stderr) {
  let rest = '';
  /** @type {ServeEvent[]} */
  const events = [];
  /** @type {Set<(event: ServeEvent) => void>} */
  const listeners = new Set();
  stderr.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = line.startsWith('{') ? JSON.parse(line) : { event: 'text', message: line };
      events.push(event);
      for (const listener of listeners) listener(event);
    }
  });
  return {
    text: () => events.map((event) => JSON.stringify(event)).join('\n'),
    events: () => events,
    /** @param {(event: ServeEvent) => boolean} fits @returns {Promise<ServeEvent>} */
    whenEvent: (fits) =>
      new Promise((resolve) => {
        const found = events.find(fits);
        if (found !== undefined) resolve(found);
        else listeners.add((event) => fits(event) && resolve(event));
      }),
  };
}

/** @param {number} pid @returns {import('./startServe.d.ts').ServeUsage} */
function usageOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [, peak = 0] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, peak: Number(peak) / 1024 };
}
