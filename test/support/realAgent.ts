/**
 * The real ironic-python-agent, started with a config of its own on this machine.
 * It may read everything and change nothing: it runs as nobody, its only capability is to read, and its /run is its own.
 * By itself an agent assembles disk arrays, loads kernel modules, and cuts the network when it has lost its token.
 */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hasIpa, ipaNote, ipaPython } from './ipaOracle.ts';

const program = join(dirname(ipaPython), 'ironic-python-agent');

const rights = ['--inh-caps', '--ambient-caps', '--bounding-set'].map(
  (name) => `${name}=-all,+dac_read_search`,
);
const confined = [
  'mount -t tmpfs -o mode=1777 tmpfs /run',
  `exec setpriv --reuid=65534 --regid=65534 --clear-groups ${rights.join(' ')} --no-new-privs "$@"`,
].join(' && ');

/** The command of a process that has the rights of the agent. */
function confine(command: readonly string[]): string[] {
  return ['--mount', 'sh', '-c', confined, 'sh', ...command];
}

/** Fails wherever the agent would have more rights than to read. CAP_DAC_READ_SEARCH is the second bit. */
const check = `
import os, re, ironic_python_agent
capabilities = re.findall(r'Cap(?:Eff|Prm|Bnd):\\s*([0-9a-f]+)', open('/proc/self/status').read())
assert os.getuid() == 65534 and [int(set, 16) for set in capabilities] == [4, 4, 4]
`;

/** Whether it can be started here without being able to change anything. It lists the hardware with lshw. */
export const hasRealAgent =
  hasIpa &&
  process.platform === 'linux' &&
  spawnSync('unshare', confine([ipaPython, '-c', check])).status === 0;

/** For test titles. */
export const realAgentNote =
  hasIpa && !hasRealAgent ? ' (skipped: only root, whose rights are taken away, can start it)' : ipaNote;

/** MAC addresses that an agent on this machine may find. */
export const ownMacs: readonly string[] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .map(({ mac }) => mac)
  .filter((mac) => mac !== '00:00:00:00:00:00');

export interface RealAgent {
  /** What it has logged so far. */
  log(): string;
  /** Resolves when it is gone. */
  stop(): Promise<void>;
}

/** @param plugins folder with Python modules and their entry points, such as hardware managers */
export function startRealAgent(conf: string, plugins?: string): RealAgent {
  const folder = mkdtempSync(join(tmpdir(), 'real agent '));
  const file = join(folder, 'agent.conf');
  writeFileSync(file, conf);
  const command = [
    'env',
    '-i',
    `PATH=${systemPath}`,
    'HOME=/run',
    'XDG_RUNTIME_DIR=/run',
    ...(plugins === undefined ? [] : [`PYTHONPATH=${plugins}`]),
    program,
    '--config-file',
    file,
  ];
  const child = spawn('unshare', confine(command), { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let log = '';
  const collect = (part: Buffer): void => {
    log += part.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise((resolve) => void child.once('close', resolve));
  return {
    log: () => log,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin';
