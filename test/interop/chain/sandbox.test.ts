/**
 * Settings of the agent's unit with which podman cannot run it: what the lint says of each, and what the real systemd, podman
 * and crun of the chain do with it. One boot, half an hour on 2 cores:
 *
 *   npm run build && node test/interop/chain/build.js && IRONIC_COREOS_CHAIN=1 npx vitest run test/interop/chain/sandbox.test.ts
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sandboxRules } from '../../../src/agent/lint/sandbox.ts';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { now, withUnit } from '../../agent/lint/support.ts';
import { listenLocally } from '../../support/listening.ts';
import { startMachine, translated } from './machine.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { parts } from './parts.js';
import { program } from '../../support/packageFolder.ts';

/** Lines of the section [Service]. */
const REFUSED = [
  'User=core',
  'DynamicUser=yes',
  'ProtectSystem=strict',
  'ProtectSystem=strict\nReadWritePaths=/var',
  'ReadOnlyPaths=/var',
  'ReadOnlyPaths=/run',
  'ReadOnlyPaths=/',
  'InaccessiblePaths=/var/lib/containers',
  'RestrictNamespaces=yes',
  'RestrictNamespaces=~mnt',
  'RestrictNamespaces=net ipc',
  'PrivateUsers=yes',
  'PrivateNetwork=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProcSubset=pid',
  'SystemCallFilter=~@mount',
  'SystemCallFilter=~mount',
  'SystemCallFilter=~@privileged',
  'SystemCallFilter=@system-service',
  'CapabilityBoundingSet=CAP_NET_ADMIN',
  'CapabilityBoundingSet=',
  'DevicePolicy=strict',
  'PrivateDevices=yes',
];
const RUNNING = [
  '',
  'User=root',
  'ProtectSystem=strict\nReadWritePaths=/var /run /etc/containers',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'ProtectKernelModules=yes',
  'ProtectClock=no',
  'RestrictNamespaces=~user',
  'RestrictNamespaces=no',
  'PrivateUsers=no',
  'DevicePolicy=auto',
  'SystemCallFilter=~@obsolete',
  'CapabilityBoundingSet=~CAP_SYS_BOOT',
  'LimitNOFILE=65536',
];

const start =
  'podman run --rm --pull=never --cgroups=no-conmon --privileged --network host --mount type=bind,src=/dev,dst=/dev ' +
  '--mount type=bind,src=/sys,dst=/sys --mount type=bind,src=/,dst=/mnt/coreos --ipc=host';
const IMAGE = 'localhost/ironic-coreos-test-agent:latest';

const sectionOf = (lines: string): string => `[Service]\n${lines}\n`;

function lint(lines: string): boolean {
  const unit = withUnit(['[Service]\n', sectionOf(lines)], [' --uts=host', '']);
  const ids = new Set(Object.values(sandboxRules).map(({ id }) => id));
  return lintConfig(unit, { now }).some(({ rule }) => ids.has(rule.id));
}

/** Reads the disk of the machine and calls Ironic, as the agent does. */
const probe = (port: number): string =>
  `import socket; open('/dev/vda','rb').read(512); socket.create_connection(('${translated.host}', ${port}), 20)`;

/** A shell script that starts a unit with each setting, and prints `INDEX STATUS`. */
function guestScript(settings: readonly string[], port: number): string {
  const units = settings.map((lines, index) => {
    const command = `${start} --entrypoint python3 ${IMAGE} -c "${probe(port)}"`;
    const unit = `${sectionOf(lines)}Type=oneshot\nTimeoutStartSec=300\nExecStart=/usr/bin/${command}\n`;
    const name = `probe${index}.service`;
    return `cat > /run/systemd/system/${name} <<'UNIT'\n${unit}UNIT\nsystemctl daemon-reload\nsystemctl start ${name} 2>/dev/null; echo "${index} $?"; journalctl -o cat -u ${name} | tail -n 6 | sed 's/^/# /'\n`;
  });
  const isLoaded = `for try in $(seq 120); do podman image exists ${IMAGE} && break; sleep 5; done`;
  return `${isLoaded}\nsystemctl stop ironic-agent\n${units.join('')}`;
}

async function runInGuest(settings: readonly string[]): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const server = createServer();
  try {
    const port = await listenLocally(server);
    const run = (args: readonly string[]): unknown =>
      execFileSync(process.execPath, [program, ...args], { cwd: folder, stdio: 'pipe' });
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'ssh-key')]);
    const archive = ['--agent-archive', parts.archive, '--ssh-key', 'ssh-key.pub'];
    run(['render', '--api-url', `http://${translated.host}:6385`, ...archive, '-o', 'agent.ign']);
    const medium = ['-o', 'agent.iso', '--iso-file', `${parts.archive}:agent.tar`, parts.iso];
    run(['iso', 'ignition', 'embed', '-i', 'agent.ign', ...medium]);
    const machine = await startMachine(folder, {
      network: translated,
      source: { iso: join(folder, 'agent.iso') },
    });
    try {
      while (!/ login:/.test(machine.console())) await setTimeout(1000);
      const { output } = await machine.run('sudo sh', guestScript(settings, port));
      const logs = process.env['IRONIC_COREOS_CHAIN_LOGS'];
      if (logs !== undefined) writeFileSync(join(logs, 'sandbox.txt'), output);
      return Array.from(output.matchAll(/^\d+ (\d+)$/gm), ([, status]) => Number(status));
    } finally {
      await machine.stop();
    }
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

describe('settings of the unit of the agent', () => {
  it.each(REFUSED)('the lint reports %s', (lines) => expect(lint(lines)).toBe(true));
  it.each(RUNNING)('the lint accepts %j', (lines) => expect(lint(lines)).toBe(false));

  it.skipIf(!have('chain'))(
    `podman runs the agent with those that the lint accepts, and with no other${oracleNote('chain')}`,
    async () => {
      const statuses = await runInGuest([...RUNNING, ...REFUSED]);
      expect(statuses).toHaveLength(RUNNING.length + REFUSED.length);
      const running = [...RUNNING, ...REFUSED].filter((_, index) => statuses[index] === 0);
      expect(running).toEqual(RUNNING);
    },
    60 * 60_000,
  );
});
