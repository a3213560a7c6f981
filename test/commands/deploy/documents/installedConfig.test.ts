import { describe, expect, it } from 'vitest';
import { checkInstalledConfig } from '../../../../src/commands/deploy/documents/installation.ts';
import { formatIgnition } from '../../../../src/ignition/ignitionText.ts';
import type { Config } from '../../../../src/ignition/config.ts';
import { readConfig } from '../../../../src/ignition/validate.ts';

const decode = (text: string): Config => {
  const read = readConfig(Buffer.from(text));
  if (read.status === 'refused') throw new Error(read.finding.message);
  return read.config;
};

describe('the config of the installed host', () => {
  it.each<[string, Config, string[]]>([
    ['an ordinary file', { storage: { files: [{ path: '/etc/motd' }] } }, []],
    [
      'a file with the host name',
      { storage: { files: [{ path: '/etc/hostname' }] } },
      ['install-hostname-twice'],
    ],
    [
      'a link for the host name',
      { storage: { links: [{ path: '/etc/hostname' }] } },
      ['install-hostname-twice'],
    ],
    ['the agent', { systemd: { units: [{ name: 'ironic-agent.service' }] } }, ['install-config-of-ramdisk']],
  ])('is checked: %s', (_title, config, rules) => {
    expect(checkInstalledConfig(config).map(({ rule }) => rule)).toEqual(rules);
  });

  // The agent calls setdefault('storage', {}) on it, which a null or another spelling would defeat.
  it('is passed on as Ignition understands it', () => {
    const config = decode('{"Ignition":{"version":"3.4.0"},"storage":null,"unknown":1}');
    expect(JSON.parse(formatIgnition(config))).toEqual({ ignition: { version: '3.4.0' } });
  });
});
