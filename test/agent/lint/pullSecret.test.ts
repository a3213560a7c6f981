import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import type { File } from '../../../src/ignition/config.ts';
import { conf, dataUrl, now, summary, withFiles, withUnit } from './support.ts';

const path = '/etc/authfile.json';
const json = '{"auths":{"quay.io":{"auth":"sesame"}}}';
const at = '$.storage.files.1';

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
      [`agent-secret-undecodable ${at}.contents.source`],
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
      'no auths',
      { path, mode: 0o600, contents: { source: dataUrl('{"sesame":1}') } },
      [`agent-secret-content ${at}.contents.source`],
    ],
    ['from elsewhere', { path, mode: 0o600, contents: { source: 'https://192.0.2.1/secret' } }, []],
    ['another file', { path: '/etc/other.json', contents: { source: dataUrl('sesame') } }, []],
  ] satisfies [string, File, string[]][])('%s', (_title, file, expected) => {
    const config = withFiles(file);
    expect(summary(config)).toEqual(expected);
    expect(JSON.stringify(lintConfig(config, { now }))).not.toContain('sesame');
  });

  it('in a place of their own', () => {
    const change = ['podman pull ', 'podman pull --authfile /opt/auth.json '] as const;
    expect(summary(withUnit(change))).toEqual(['agent-authfile-missing $.systemd.units.0.contents']);
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
