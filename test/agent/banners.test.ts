/** What the console shows. */

import { describe, expect, it } from 'vitest';
import { renderAgentConfig } from '../../src/agent/agentConfig.ts';
import { renderBanners } from '../../src/agent/profiles/default.ts';
import { type AgentSettings, defaultSettings, type ProfileName } from '../../src/agent/settings.ts';
import { decodeDataUrl } from '../../src/formats/dataUrl.ts';

const settings: AgentSettings = {
  ...defaultSettings,
  agentImage: 'registry.example.com/ironic-agent',
  apiUrls: ['https://192.0.2.1:6385'],
};
const [issue, motd] = ['/etc/issue.d/ipa.issue', '/etc/motd.d/ipa.motd'];

function textOf(path: string, change: Partial<AgentSettings> = {}): string {
  const file = renderBanners({ ...settings, ...change }).find((candidate) => candidate.path === path);
  const source = file?.contents?.source;
  return typeof source === 'string' ? Buffer.from(decodeDataUrl(source)).toString() : '';
}

describe('renderBanners', () => {
  it.each<[string, Partial<AgentSettings>, string]>([
    ['where Ironic is', {}, '  Ironic     https://192.0.2.1:6385\n'],
    ['several addresses', { apiUrls: ['http://a:1', 'http://b:1'] }, 'http://a:1, http://b:1\n'],
    ['no user and no password', { apiUrls: ['https://me:hunter2@h:1/x@y'] }, 'Ironic     https://h:1/x@y\n'],
    ['mDNS', { apiUrls: ['mdns'] }, 'Ironic     mdns\n'],
    ['that there is no Ironic', { apiUrls: [] }, 'Ironic     none'],
    ['the image', { agentImage: 'q/i@sha256:0' }, '  Agent      q/i@sha256:0\n'],
    ['the name of the host', { hostname: 'worker-0' }, '  Host name  worker-0'],
    ['braces as they are', { agentImage: '{{facts}}' }, '  Agent      {{facts}}\n'],
  ])('tell %s', (_title, change, expected) => expect(textOf(motd, change)).toContain(expected));

  it('tell no secret', () => {
    const pullSecret = '{"auths":{"q":{"auth":"hunter2"}}}';
    const proxy = { http: 'http://me:hunter2@p', noProxy: [] };
    expect(textOf(motd, { pullSecret, proxy, passwordHash: '$6$hunter2' })).not.toContain('hunter2');
  });

  it('have no escape of agetty', () => expect(textOf(issue)).not.toContain('\\'));

  it.each([issue, motd, '/etc/NetworkManager/conf.d/clientid.conf'])(
    'give way to a file of the user: %s',
    (path) => {
      const files = [{ path, mode: 0o600, content: Buffer.from('own') }];
      const found = renderAgentConfig({ ...settings, files }).storage?.files?.filter(
        (file) => file.path === path,
      );
      expect(found).toMatchObject([{ mode: 0o600 }]);
    },
  );

  it.each<[ProfileName, boolean]>([
    ['default', true],
    ['buildpy', false],
    ['configure-coreos-ipa', false],
  ])('are in the profile %s: %s', (profile, expected) => {
    const { storage } = renderAgentConfig({ ...settings, profile });
    expect(storage?.files?.some(({ path }) => path === motd)).toBe(expected);
  });
});
