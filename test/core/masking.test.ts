import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HIDDEN, isSecretName, maskLogLine, maskSetting } from '../../src/core/masking.ts';

describe('maskSetting', () => {
  it.each([
    ['/bin/curl -u bob:hunter2 http://h', '/bin/curl -u bob:(secret) http://h'],
    ['http://ops:hunter2@proxy:3128', `http://${HIDDEN}@proxy:3128`],
    ['https://h/x?a=1&api_key=hunter2&b=2', `https://h/x?a=1&api_key=${HIDDEN}`],
    ['https://h/x?X-Amz-Signature=hunter2', `https://h/x?X-Amz-Signature=${HIDDEN}`],
    ['ExecStart=/bin/x --password hunter2 more', `ExecStart=/bin/x --password ${HIDDEN}`],
    ['ExecStart=/bin/x --db-token=hunter2', `ExecStart=/bin/x --db-token=${HIDDEN}`],
    ['Environment="DB_PASSWORD=hunter2 x"', `Environment="DB_PASSWORD=${HIDDEN}`],
    ['SetCredential=id:hunter2', `SetCredential=${HIDDEN}`],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2', HIDDEN],
    ['A_PASSPHRASE=x y', `A_PASSPHRASE=${HIDDEN}`],
    ['--env WIFI_PSK=x', `--env WIFI_PSK=${HIDDEN}`],
    ['curl -H "Authorization: Bearer hunter2" http://h', `curl -H "Authorization: ${HIDDEN}" http://h`],
    ['agent_token = x', `agent_token = ${HIDDEN}`],
    ['MY_KEY=x', `MY_KEY=${HIDDEN}`],
    ['first=1 pin=1234 PASSWORD=y', `first=1 pin=${HIDDEN}`],
  ])('%s', (text, masked) => {
    expect(maskSetting(text)).toBe(masked);
  });

  it.each([
    'podman run --user 1000:1000 img',
    'Description=Bypass the token server',
    'https://192.0.2.1:6385',
    '--authfile=/etc/authfile.json',
    'EnvironmentFile=/etc/token-file',
    '[Service] Environment=PASSWORD=',
    'sshkey="ssh-ed25519 AAAA" KEY_FILE=/a monkey=1 pinned=1',
  ])('leaves %s', (text) => {
    expect(maskSetting(text)).toBe(text);
  });

  it('takes any text, and no long time', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof maskSetting(text) === 'string'));
    for (const part of ['-', '://', 'a?', 'password', '&key', '"']) {
      expect(maskSetting(part.repeat(20_000)).startsWith(part)).toBe(true);
    }
  });
});

describe('maskLogLine', () => {
  it.each([
    ['Get "http://ops:hunter2@proxy:3128": EOF', `Get "http://${HIDDEN}@proxy:3128": EOF`],
    ['Get "http://ops:hun/ter2@proxy:3128": EOF', `Get "http://${HIDDEN}@proxy:3128": EOF`],
    ['GET /v2/ Authorization: Basic aHVudGVyMg== done', `GET /v2/ Authorization: ${HIDDEN} done`],
    ['Command line: db.password=hunter2 quiet', `Command line: db.password=${HIDDEN} quiet`],
    ['DB_PASSWORD="hunter2 x" quiet', `DB_PASSWORD="${HIDDEN}" quiet`],
    ['podman login -u ops -p hunter2 quay.io', `podman login -u ops -p ${HIDDEN} quay.io`],
  ])('%s', (text, masked) => {
    expect(maskLogLine(text)).toBe(masked);
  });

  it.each([
    'Error: initializing source docker://192.0.2.1:5000/ironic-agent@sha256:00: unauthorized',
    'unable to retrieve auth token: invalid username/password: unauthorized: Invalid login',
    'Command line: coreos.liveiso=fedora-coreos-41 ignition.firstboot',
  ])('leaves %s', (text) => {
    expect(maskLogLine(text)).toBe(text);
  });
});

describe('credentials in a URL', () => {
  it.each([
    ['http://u:p@ss@host/x', `http://${HIDDEN}@host/x`],
    ['http://u:p/q@host/x', `http://${HIDDEN}@host/x`],
    ['http://u:p"q@host/x', `http://${HIDDEN}@host/x`],
    ['http://u:p q@host/x', `http://${HIDDEN}@host/x`],
    ['docker://192.0.2.1:5000/agent@sha256:00', 'docker://192.0.2.1:5000/agent@sha256:00'],
    ['http://host:80/a@b', 'http://host:80/a@b'],
    ['http://host/ me@example.com', 'http://host/ me@example.com'],
    ['a ://u:p@h ://v:q@i', `a ://${HIDDEN}@h ://${HIDDEN}@i`],
  ])('%s', (text, expected) => {
    expect(maskSetting(text)).toBe(expected);
    expect(maskLogLine(text)).toBe(expected);
  });
});

describe('isSecretName', () => {
  it.each([
    'psk',
    'API_TOKEN',
    'agent_token',
    'wep-key0',
    'mka-cak',
    'private-key',
    'ADMIN_PASSWORD',
    'creds',
    'pin',
  ])('%s', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    'psk-flags',
    'key_file',
    'keyfile',
    'authfile',
    'keymap',
    'monkey',
    'passthrough',
    'spin',
    'TOKEN_PATH',
  ])('not %s', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});
