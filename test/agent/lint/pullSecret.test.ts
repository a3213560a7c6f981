import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import type { Config, File } from '../../../src/ignition/config.ts';
import { conf, dataUrl, now, summary, withFiles, withUnit } from './support.ts';

const path = '/etc/authfile.json';
const auth = Buffer.from('user:sesame').toString('base64');
const json = secretOf({ 'quay.io': auth });
const at = '$.storage.files.1';

/** With the `auth` of each registry. */
function secretOf(auths: Readonly<Record<string, string>>, others: object = {}): string {
  const entries = Object.entries(auths).map(([registry, text]) => [registry, { auth: text }]);
  return JSON.stringify({ auths: Object.fromEntries(entries), ...others });
}

function rootFiles(one: string, other: string): Config {
  return withFiles(
    { path: '/root/.docker/config.json', mode: 0o600, contents: { source: dataUrl(one) } },
    { path: '/root/.config/containers/auth.json', mode: 0o600, contents: { source: dataUrl(other) } },
  );
}

describe('pull secrets', () => {
  it.each([
    ['as it should be', { path, mode: 0o600, contents: { source: dataUrl(json) } }, []],
    ['without a mode', { path, contents: { source: dataUrl(json) } }, [`agent-secret-mode ${at}.mode`]],
    [
      'readable for all',
      { path, mode: 0o644, contents: { source: dataUrl(json) } },
      [`agent-secret-mode ${at}.mode`],
    ],
    [
      'for Docker',
      { path: '/root/.docker/config.json', mode: 0o644, contents: { source: dataUrl(json) } },
      [`agent-secret-mode ${at}.mode`],
    ],
    [
      'raw JSON',
      { path, mode: 0o600, contents: { source: `data:;base64,${json}` } },
      [`agent-secret-content ${at}.contents.source`],
    ],
    [
      'base64 twice',
      { path, mode: 0o600, contents: { source: dataUrl(Buffer.from(json).toString('base64')) } },
      [`agent-secret-content ${at}.contents.source`],
    ],
    [
      'no JSON',
      { path, mode: 0o600, contents: { source: dataUrl('{sesame') } },
      [`agent-secret-content ${at}.contents.source`],
    ],
    [
      'with a byte order mark',
      { path, mode: 0o600, contents: { source: dataUrl(`\uFEFF${json}`) } },
      [`agent-secret-content ${at}.contents.source`],
    ],
    [
      'no auths',
      { path, mode: 0o600, contents: { source: dataUrl('{"sesame":1}') } },
      [`agent-secret-content ${at}.contents.source`],
    ],
    ['from elsewhere', { path, mode: 0o600, contents: { source: 'https://192.0.2.1/secret' } }, []],
    ['another file', { path: '/etc/other.json', contents: { source: dataUrl('sesame') } }, []],
  ] satisfies [string, File, string[]][])('%s', (_title, file, expected) => {
    const config = withFiles(file);
    expect(summary(config)).toEqual(expected);
    expect(JSON.stringify(lintConfig(config, { now }))).not.toMatch(new RegExp(`sesame|${auth}`));
  });

  const source = `${at}.contents.source`;
  it.each([
    ['a namespace', secretOf({ 'quay.io/example': auth }), []],
    ['the image', secretOf({ 'quay.io/example/ironic-agent': auth }), []],
    ['another namespace', secretOf({ 'quay.io/metal3': auth }), [`agent-secret-registry ${source}`]],
    ['another registry', secretOf({ 'docker.io': auth }), [`agent-secret-registry ${source}`]],
    ['nothing', secretOf({}), [`agent-secret-registry ${source}`]],
    ['a URL of the registry', secretOf({ 'https://quay.io/v1/': auth }), []],
    ['a program for the registry', secretOf({}, { credHelpers: { 'quay.io': 'x' } }), []],
    ['a program without entries', '{"credHelpers":{"quay.io":"x"}}', []],
    ['a program for another registry', secretOf({ 'quay.io': auth }, { credHelpers: { 'a.io': 'x' } }), []],
    [
      'a program that podman does not know',
      secretOf({ 'quay.io': '' }, { credsStore: 'x' }),
      [`agent-secret-registry ${source}`],
    ],
    ['an empty auth', secretOf({ 'quay.io': '' }), [`agent-secret-registry ${source}`]],
    [
      'a user alone',
      secretOf({ 'quay.io': Buffer.from('sesame').toString('base64') }),
      [`agent-secret-registry ${source}`],
    ],
    ['a plain text', secretOf({ 'quay.io': 'user:sesame' }), [`agent-secret-unreadable ${source}`]],
    ['a broken entry of another registry', secretOf({ 'quay.io': auth, x: 'sesame' }), []],
    ['a number', '{"auths":{"quay.io":{"auth":1}}}', [`agent-secret-content ${source}`]],
  ])('for podman: %s', (_title, text, expected) => {
    const named = withUnit(['podman pull ', `podman pull --authfile ${path} `]);
    const config = {
      ...named,
      ...withFiles({ path, mode: 0o600, contents: { source: dataUrl(text) } }),
      systemd: named.systemd ?? {},
    };
    expect(summary(config)).toEqual(expected);
    expect(JSON.stringify(lintConfig(config, { now }))).not.toMatch(new RegExp(`sesame|${auth}`));
  });

  it('that podman of root finds by itself are looked into together', () => {
    const foreign = secretOf({ 'docker.io': auth });
    expect(summary(rootFiles(foreign, json))).toEqual([]);
    expect(summary(rootFiles(foreign, foreign))).toEqual([
      'agent-secret-registry $.storage.files.2.contents.source',
    ]);
  });

  it('are not needed for an image that podman builds', () => {
    const contents =
      '[Service]\nExecStart=/bin/podman run --name ironic-agent -v /etc/ironic-python-agent.conf:/etc/ironic-python-agent/a.conf localhost/agent\n[Install]\nWantedBy=a.target\n';
    const config = {
      ...rootFiles(json, json),
      systemd: { units: [{ name: 'agent.service', enabled: true, contents }] },
    };
    expect(summary(config)).toEqual([]);
  });

  it('count for mirrors of the registry', () => {
    const mirrored =
      '[[registry]]\nprefix="quay.io/example"\nlocation="quay.io/example"\n[[registry.mirror]]\nlocation="mirror.example.com/m"\n';
    const config = (registry: string) => {
      const named = withUnit(['podman pull ', `podman pull --authfile ${path} `]);
      const files = withFiles(
        { path, mode: 0o600, contents: { source: dataUrl(secretOf({ [registry]: auth })) } },
        { path: '/etc/containers/registries.conf', overwrite: true, contents: { source: dataUrl(mirrored) } },
      );
      return { ...named, ...files, systemd: named.systemd ?? {} };
    };
    expect(summary(config('mirror.example.com/m'))).toEqual([]);
    expect(summary(config('mirror.example.com/other'))).toEqual([`agent-secret-registry ${source}`]);
  });

  it('in a place of their own', () => {
    const change = ['podman pull ', 'podman pull --authfile /opt/auth.json '] as const;
    expect(summary(withUnit(change))).toEqual(['agent-file-missing $.systemd.units.0.contents']);
    const file: File = { path: '/opt/auth.json', contents: { source: dataUrl('sesame') } };
    const config = withUnit(change);
    const { storage = {} } = withFiles(file);
    expect(summary({ ...config, storage })).toEqual([
      `agent-secret-content ${at}.contents.source`,
      `agent-secret-mode ${at}.mode`,
    ]);
    expect(summary(withUnit(['podman pull ', 'podman pull --authfile /run/auth.json ']))).toEqual([]);
  });

  it('in the conf', () => {
    const contents = { source: dataUrl('[DEFAULT]\nagent_token = sesame\n') };
    expect(summary(withFiles({ path: conf, contents }))).toEqual([
      'agent-secret-mode $.storage.files.0.mode',
    ]);
    expect(summary(withFiles({ path: conf, contents, mode: 0o600 }))).toEqual([]);
  });
});
