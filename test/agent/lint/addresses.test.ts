import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { conf, dataUrl, messages, now, render, summary, withConf, withFiles, withUnit } from './support.ts';

describe('addresses that mean no other machine', () => {
  it.each([
    ['http://localhost:6385', 'localhost is the booted machine itself'],
    ['https://192.0.2.1,https://127.0.0.1', '127.0.0.1 is the booted machine itself'],
    ['https://169.254.3.4:6385', '169.254.3.4 is link-local'],
    ['https://[::1]:6385', '::1 is the booted machine itself'],
  ])('in api_url: %s', (url, message) => {
    const config = render({ apiUrls: url.split(',') });
    expect(summary(config)).toEqual(['agent-address $.storage.files.0.contents.source']);
    expect(messages(config)[0]).toContain(message);
  });

  it.each([
    'http://0.0.0.0:6385',
    'https://[fe80::1]:6385',
    'https://192.0.2.1:6385/v1',
    'https://192.0.2.1/v1/',
  ])('and URLs that cannot be used: %s', (url) => {
    expect(summary(withConf(`[DEFAULT]\napi_url = ${url}\ninsecure = 0\n`))).toEqual([
      'conf-unusable $.storage.files.0.contents.source',
    ]);
  });

  it('of inspection data', () => {
    const config = render({ callbackUrls: ['http://localhost:5050/v1/continue'] });
    expect(summary(config)).toEqual(['agent-address $.storage.files.0.contents.source']);
  });

  it('of time servers, in chrony.conf and in the conf', () => {
    const config = withFiles(
      {
        path: conf,
        contents: { source: dataUrl('[DEFAULT]\napi_url = http://192.0.2.1\nntp_server = ::1\n') },
      },
      {
        path: '/etc/chrony.conf',
        append: [{ source: dataUrl('\nserver ntp.example.com\npool 127.0.0.1 iburst\n') }],
      },
      { path: '/etc/chrony.d/a.conf', contents: { source: dataUrl('server 0.0.0.0\n#server localhost\n') } },
    );
    expect(messages(config)).toEqual([
      'ironic-python-agent.conf:3:14: ntp_server: ::1 is the booted machine itself (loopback)',
      'chrony.conf: 127.0.0.1 is the booted machine itself (loopback)',
      'a.conf: 0.0.0.0 is an address to listen on, not to connect to',
    ]);
  });

  it('of proxies, in the unit and for Ignition', () => {
    const http = 'http://user:sesame@localhost:3128';
    const config = render({ proxy: { http, noProxy: [] } });
    const found = lintConfig(config, { now });
    expect(found.map(({ message, rule }) => `${rule} ${message}`)).toEqual([
      'agent-address localhost is the booted machine itself (loopback)',
      'agent-address ironic-agent.service: HTTP_PROXY: localhost is the booted machine itself (loopback)',
    ]);
    expect(JSON.stringify(found)).not.toContain('sesame');
  });

  it('of what Ignition fetches', () => {
    const source = 'https://[::ffff:127.0.0.1]/motd';
    expect(summary(withFiles({ path: '/etc/motd', contents: { source } }))).toEqual([
      'agent-address $.storage.files.1.contents.source',
    ]);
  });

  it('of images that are built on the machine are none', () => {
    const change = ['quay.io/example/ironic-agent', 'localhost/ironic-agent'] as const;
    const run = withUnit(change, [`ExecStartPre=/bin/podman pull ${change[1]}\n`, ''], ['--pull=never ', '']);
    expect(summary(run)).toEqual([]);
    expect(summary(withUnit(change))).toEqual(['agent-address $.systemd.units.0.contents']);
  });
});
