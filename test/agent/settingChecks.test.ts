import { describe, expect, it } from 'vitest';
import { checkSettings, createSettingCheck } from '../../src/agent/settingChecks.ts';
import { type AgentSettings, defaultSettings } from '../../src/agent/settings.ts';

const settings = (changes: Partial<AgentSettings>): AgentSettings => ({
  ...defaultSettings,
  apiUrls: ['https://192.0.2.1:6385'],
  agentImage: 'quay.io/example/ironic-agent',
  ...changes,
});
const found = (changes: Partial<AgentSettings>): string[] =>
  checkSettings(settings(changes)).map(({ setting, problem }) => `${problem.severity} ${setting}`);
const archive = { name: 'a.tar', sha512: '0', imageId: '0', architecture: 'x86_64' } as const;
const blocking = '[[registry]]\nlocation = "quay.io"\nblocked = true\n';
const mirroring = (pulls: string): string =>
  `[[registry]]\nlocation = "quay.io"\nmirror = [{location = "m.example.com", pull-from-mirror = "${pulls}"}]\n`;
const pullSecret = '{"auths":{"quay.io":{"auth":"???"}}}';

describe('checkSettings', () => {
  it.each<[string, Partial<AgentSettings>, string[]]>([
    ['nothing', {}, []],
    ['an address to listen on', { ntpServers: ['0.0.0.0'] }, ['error host.ntpServers']],
    [
      'the same for another generator',
      { ntpServers: ['0.0.0.0'], profile: 'icc' },
      ['error host.ntpServers'],
    ],
    ['a loopback address', { ntpServers: ['ntp.example.com', '::1'] }, ['warning host.ntpServers']],
    ['an image that is pulled', { agentImage: 'localhost:5000/a' }, ['warning agent.image']],
    ['one that is never pulled', { agentImage: 'localhost:5000/a', pullPolicy: 'never' }, []],
    ['one of an archive', { agentImage: 'agent', pullPolicy: 'never', archive, pullSecret }, []],
    [
      'an archive on the machine',
      { pullPolicy: 'never', archive: { ...archive, url: 'http://[::1]/a' } },
      ['warning agent.archiveUrl'],
    ],
    ['a blocked registry', { registriesConf: blocking }, ['error agent.registriesConf']],
    ['a blocked registry of an image on the host', { registriesConf: blocking, pullPolicy: 'never' }, []],
    ['a mirror for tags', { registriesConf: mirroring('tag-only') }, []],
    [
      'a registry by IPv6 address in registries.conf',
      { registriesConf: '[[registry]]\nprefix = "quay.io"\nlocation = "[2001:db8::1]:5000"\n' },
      ['error agent.registriesConf'],
    ],
    ['credentials of a program', { pullSecret: '{"credHelpers":{"quay.io":"x"}}' }, []],
    ['credentials that podman cannot use', { pullSecret }, ['warning agent.pullSecret']],
    [
      'such credentials for another registry',
      { pullSecret, agentImage: 'r.example.com/a' },
      ['warning agent.pullSecret'],
    ],
  ])('%s', (_title, changes, expected) => {
    expect(found(changes)).toEqual(expected);
  });
});

describe('createSettingCheck', () => {
  it('answers for each settings, in any order', () => {
    const check = createSettingCheck();
    const all = [
      {},
      { ntpServers: ['::1'] },
      { ntpServers: ['::1'], hostname: 'b' },
      { agentImage: 'a' },
      { agentImage: 'a', pullPolicy: 'never', archive },
      {},
    ] as const;
    for (const changes of all) expect(check(settings(changes))).toEqual(checkSettings(settings(changes)));
  });
});
