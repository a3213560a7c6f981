/** The units as systemd itself reads them: no complaint about any line. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderAgentConfig } from '../../src/agent/agentConfig.ts';
import { readSubject } from '../../src/agent/lint/subject.ts';
import { type AgentSettings, defaultSettings } from '../../src/agent/settings.ts';
import { examineConfig } from '../../src/ignition/validate.ts';
import { have, oracleNote } from '../support/programs.ts';

const plain: AgentSettings = {
  ...defaultSettings,
  agentImage: 'registry.example.com/ironic-agent',
  apiUrls: ['https://192.0.2.1:6385'],
};
const manyHosts = Array.from({ length: 150 }, (_one, index) => `host-${index}.example.com`);
const full: AgentSettings = {
  ...plain,
  verifyRegistryTls: false,
  pullSecret: '{"auths":{}}',
  caCertificates: 'x',
  hostname: 'worker-0',
  installIpOptions: 'ip=dhcp "%n" $HOME',
  copyNetwork: true,
  debug: true,
  autologin: true,
  serialConsoles: ['ttyS0'],
  podmanArgs: ['--mount=type=bind,src=/a b,dst=/c', '--env=NAME=100% of "$HOME" \\ ü', '--label=a;b=c'],
  hardwareManagers: [{ name: 'own', files: [] }],
  proxy: {
    http: "http://u:p%40$x'y@proxy:3128",
    https: 'http://proxy',
    noProxy: ['localhost', ...manyHosts],
  },
};

/** The units of the other profiles are as their peers have them, which systemd complains about. */
const cases = (['default', 'buildpy'] as const).flatMap((profile) => [
  [`${profile}, plain`, { ...plain, profile }] as const,
  [`${profile}, everything`, { ...full, profile }] as const,
]);

describe('ironic-agent.service', () => {
  it('stops with SIGINT, as the agent ignores SIGTERM, and its exit code 130 is no failure; that of SIGKILL is', () => {
    const contents = renderAgentConfig(plain).systemd?.units?.[0]?.contents ?? '';
    expect(contents).toContain(' --stop-signal=SIGINT ');
    expect(contents.match(/^SuccessExitStatus=.*$/gm)).toEqual(['SuccessExitStatus=130']);
    expect(contents).toContain('\nRestart=on-failure\n');
  });

  it('has no line that is too long for Ignition', () => {
    const config = renderAgentConfig(full);
    expect(examineConfig(Buffer.from(JSON.stringify(config))).report.valid).toBe(true);
    const [unit] = readSubject(config).agentUnits;
    const hosts = unit?.variables.get('no_proxy')?.split(',');
    expect(hosts?.map((host) => host.trim())).toEqual(['localhost', ...manyHosts, '192.0.2.1']);
  });

  it.skipIf(!have('systemd-analyze')).each(cases)(
    `is understood by systemd: %s${oracleNote('systemd-analyze')}`,
    (_title, settings) => {
      const contents = renderAgentConfig(settings).systemd?.units?.[0]?.contents ?? '';
      const folder = mkdtempSync(join(tmpdir(), 'unit'));
      const path = join(folder, 'ironic-agent.service');
      writeFileSync(path, contents.replaceAll('/bin/podman', '/bin/true'));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
        encoding: 'utf8',
      });
      rmSync(folder, { recursive: true });
      const complaints = stderr.split('\n').filter((line) => line.includes('ironic-agent.service'));
      expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    },
  );
});
