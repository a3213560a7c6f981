import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAgentConfig, lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { lintRules } from './lintRules.ts';
import { maskSecrets } from '../../../src/agent/lint/secrets.ts';
import { allRules } from '../../support/ignitionRules.ts';
import { randomConfigs } from '../../support/randomConfigs.ts';
import { conf, dataUrl, now, render, summary } from './support.ts';

describe('lintRules', () => {
  it('have ids of their own, and can be turned off', () => {
    const ids = lintRules.map(({ rule }) => rule);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^agent(-[a-z]+)+$/.test(id))).toEqual([]);
    expect(allRules.filter(({ rule }) => ids.includes(rule))).toEqual([]);
    expect(lintRules.filter(({ isLint }) => isLint !== true)).toEqual([]);
  });
});

describe('the rendered config', () => {
  const pullSecret = '{"auths":{"quay.io":{"auth":"dTpw"}}}';
  it.each([
    ['with defaults', {}],
    ['with a pull secret', { pullSecret }],
    [
      'with a proxy',
      { proxy: { http: 'http://u:p%40ss@proxy:3128', https: 'http://proxy:3128', noProxy: [] } },
    ],
    ['with mdns', { apiUrls: ['mdns'] }],
    ['with several addresses', { apiUrls: ['https://192.0.2.1:6385', 'https://[2001:db8::1]:6385'] }],
    ['with time servers and a host name', { ntpServers: ['ntp.example.com'], hostname: 'worker-0' }],
    ['with an inspector', { callbackUrls: ['https://192.0.2.1:5050/v1/continue'] }],
    ['with a secret option', { optionLines: ['agent_token = sesame'] }],
  ])('draws nothing %s', (_title, settings) => {
    expect(summary(render(settings))).toEqual([]);
  });

  it('of build.py keeps the weaknesses of that script', () => {
    expect(summary(render({ profile: 'buildpy', agentImage: 'quay.io/example/ironic-agent' }))).toEqual([
      'conf-insecure-unset $.storage.files.0.contents.source',
    ]);
  });
});

describe('isAgentConfig', () => {
  it.each([
    ['the rendered config', render(), true],
    ['a conf alone', { storage: { files: [{ path: '/etc/ironic-python-agent.conf' }] } }, true],
    [
      'a conf in the folder of the agent',
      { storage: { files: [{ path: '/etc/ironic-python-agent/x.conf' }] } },
      true,
    ],
    [
      'a unit that runs the image',
      runs('x.service', 'ExecStart=/bin/podman run quay.io/metal3-io/ironic-python-agent'),
      true,
    ],
    ["the agent's unit with a script", runs('ironic-agent.service', 'ExecStart=/opt/run-agent'), true],
    ['another container', runs('x.service', 'ExecStart=/bin/podman run quay.io/x/y'), false],
    [
      'a unit that pulls the image only',
      runs('x.service', 'ExecStart=/bin/podman pull quay.io/example/ironic-agent'),
      false,
    ],
    ['an empty config', {}, false],
  ])('%s', (_title, config, expected) => {
    expect(isAgentConfig(config)).toBe(expected);
  });
});

function runs(name: string, command: string): object {
  return { systemd: { units: [{ name, contents: `[Service]\n${command}\n` }] } };
}

it('takes any config', () => {
  const ids = lintRules.map(({ rule }) => rule);
  fc.assert(
    fc.property(randomConfigs(), ({ config }) => {
      isAgentConfig(config);
      for (const { rule } of lintConfig(config, { now })) expect(ids).toContain(rule);
    }),
  );
});

it('takes any texts in the places that it reads', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string().map(dataUrl),
    fc
      .constantFrom('%', '%%', '"', '\\', '\n', '-----BEGIN CERTIFICATE-----', 'ssh-rsa AAAA', '{"auths":{}}')
      .map(dataUrl),
  );
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'ExecStart=podman run --name ironic-agent -v ',
      'Environment=HTTPS_PROXY=',
      '[Service]',
      '\\',
    ),
  );
  const path = fc.constantFrom(
    conf,
    '/etc/authfile.json',
    '/etc/chrony.conf',
    '/etc/pki/ca-trust/source/anchors/x',
    '/x',
  );
  const file = fc.record({ path, mode: fc.nat(0o7777), contents: fc.record({ source: text }) });
  const unit = fc.record({
    name: fc.constantFrom('ironic-agent.service', 'agent.service'),
    enabled: fc.boolean(),
    contents: fc.array(line).map((lines) => lines.join('\n')),
  });
  const config = fc.record({
    passwd: fc.record({ users: fc.tuple(fc.record({ sshAuthorizedKeys: fc.array(fc.string()) })) }),
    storage: fc.record({ files: fc.array(file) }),
    systemd: fc.record({ units: fc.array(unit) }),
  });
  fc.assert(
    fc.property(config, (any) => {
      isAgentConfig(any);
      lintConfig(any, { now });
      const document = Buffer.from(JSON.stringify(any));
      expect(maskSecrets(document, any)).toHaveLength(document.length);
    }),
  );
});
