import { describe, expect, it } from 'vitest';
import { render, summary, withUnit } from './support.ts';

const found = ['agent-proxy-ironic $.systemd.units.0.contents'];
const ignored = 'agent-proxy-exception $.systemd.units.0.contents';

describe('a proxy between the agent and Ironic', () => {
  it.each([
    ['nothing direct', 'Environment=HTTPS_PROXY=http://proxy:3128', found],
    ['for all schemes, which podman does not hand on', 'Environment=ALL_PROXY=http://proxy:3128', []],
    ['only for http', 'Environment=HTTP_PROXY=http://proxy:3128', []],
    ['an empty one', 'Environment="HTTPS_PROXY="', []],
    ['the address', 'Environment=HTTPS_PROXY=http://proxy:3128 NO_PROXY=192.0.2.1', []],
    ['its network', 'Environment=HTTPS_PROXY=http://proxy:3128 NO_PROXY=x,192.0.2.0/24', []],
    ['another network', 'Environment=HTTPS_PROXY=http://proxy:3128 NO_PROXY=198.51.100.0/24', found],
    [
      'a network of IPv6',
      'Environment=HTTPS_PROXY=http://proxy:3128 NO_PROXY=2001:db8::/32',
      [...found, ignored],
    ],
    ['a network of all', 'Environment=HTTPS_PROXY=http://proxy:3128 NO_PROXY=0.0.0.0/0', [...found, ignored]],
    ['all hosts and others', 'Environment=HTTPS_PROXY=http://proxy:3128 NO_PROXY=a,*', [...found, ignored]],
    ['brackets', 'Environment=HTTPS_PROXY=http://proxy:3128 NO_PROXY=192.0.2.1,[::1]', [ignored]],
    ['brackets without a proxy', 'Environment=NO_PROXY=[::1]', []],
    ['names in lower case', 'Environment=https_proxy=http://proxy:3128\nEnvironment=no_proxy=*', []],
    ['variables that are taken back', 'Environment=HTTPS_PROXY=http://proxy:3128\nEnvironment=', []],
  ])('%s', (_title, line, expected) => {
    expect(summary(withUnit(['[Service]\n', `[Service]\n${line}\n`]))).toEqual(expected);
  });

  it.each([
    ['its domain', '.example.com', []],
    ['a wildcard, which Python does not support', '*.example.com', [...found, ignored]],
  ])('%s', (_title, direct, expected) => {
    const variables = `Environment=HTTPS_PROXY=http://proxy:3128 NO_PROXY=${direct}\n`;
    const { systemd = {} } = withUnit(['[Service]\n', `[Service]\n${variables}`]);
    const config = { ...render({ apiUrls: ['https://ironic.example.com:6385'] }), systemd };
    expect(summary(config)).toEqual(expected);
  });

  it('that podman does not hand on', () => {
    const changes = [
      ['[Service]\n', '[Service]\nEnvironment=HTTPS_PROXY=http://p:1\n'],
      ['--rm ', '--rm --http-proxy=false '],
    ] as const;
    expect(summary(withUnit(...changes))).toEqual([]);
  });
});
