import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { parseIpaVersion } from '../../../src/ipa/ipaOptions.ts';
import { encodeGzip } from '../../../src/formats/gzip.ts';
import type { Config, Resource } from '../../../src/ignition/config.ts';
import { conf, dataUrl, messages, now, summary, withConf, withFiles, withUnit } from './support.ts';

const source = '$.storage.files.0.contents.source';
const anchor = '/etc/pki/ca-trust/source/anchors/x.crt';

const withContents = (contents: Resource): Config => withFiles({ path: conf, contents });

describe('the conf in a config', () => {
  it.each([
    ['nothing wrong', '[DEFAULT]\napi_url = https://192.0.2.1:6385\ninsecure = False\n', []],
    ['a broken line', '[DEFAULT]\ntext\n', [`conf-syntax ${source}`]],
    ['a wrong type', '[DEFAULT]\ndebug = maybe\n', [`conf-value ${source}`]],
    ['out of range', '[DEFAULT]\nlisten_port = 70000\n', [`conf-value ${source}`]],
    ['a choice', '[DEFAULT]\nadvertise_protocol = HTTP\n', [`conf-value ${source}`]],
    ['an unknown name', '[DEFAULT]\napi-url = https://x\n', [`conf-unknown ${source}`]],
    ['an unknown section', '[ipa]\na = b\n', [`conf-unknown ${source}`]],
    ['no verification', '[DEFAULT]\napi_url = https://x\ninsecure = True\n', []],
  ])('%s', (_title, text, expected) => {
    expect(summary(withConf(text))).toEqual(expected);
  });

  it('names file, line and column, the option, and what comes of it', () => {
    expect(messages(withConf('[DEFAULT]\ndebug = maybe\n[mdns]\nparms = a:b\n'))).toEqual([
      'ironic-python-agent.conf:2:9: debug: debug requires a boolean; the agent does not start',
      'ironic-python-agent.conf:4:1: [mdns] parms: unknown option: the agent ignores it',
    ]);
  });

  it('may be compressed, elsewhere or broken', () => {
    const gzip = Buffer.from(encodeGzip(Buffer.from('[DEFAULT]\ndebug = x\n'))).toString('base64');
    expect(summary(withContents({ source: `data:;base64,${gzip}`, compression: 'gzip' }))).toEqual([
      `conf-value ${source}`,
    ]);
    expect(summary(withContents({ source: dataUrl('x'), compression: 'gzip' }))).toEqual([]);
    expect(summary(withContents({ source: 'data:;base64,x' }))).toEqual([]);
    expect(summary(withContents({ source: 'https://192.0.2.1/conf' }))).toEqual([]);
    expect(summary(withContents({ source: 'data:;base64,/w==' }))).toEqual([`conf-syntax ${source}`]);
  });

  it('is judged by the release that is named', () => {
    const config = withConf('[DEFAULT]\nimage_download_max_duration = 10\n');
    const rules = (ipaVersion: string): string[] =>
      lintConfig(config, { now, ipaVersion: parseIpaVersion(ipaVersion) }).map(({ rule }) => rule);
    expect(rules('11.1')).toEqual(['conf-unknown']);
    expect(rules('11.2')).toEqual([]);
  });

  it('reports a private address for which the agent has no CA', () => {
    const config = withConf('[DEFAULT]\napi_url = https://10.0.0.1\ninsecure = False\n');
    expect(summary(config)).toEqual([`conf-ca-missing ${source}`]);
  });

  it.each([
    ['debug = true', 1],
    ['cafile = /x', 0],
    ['insecure = true', 0],
    ['insecure = false', 1],
  ])('and another conf says: %s', (setting, count) => {
    const config = withFiles(
      { path: conf, contents: { source: dataUrl('[DEFAULT]\napi_url = https://10.0.0.1\n') } },
      {
        path: '/etc/ironic-python-agent.d/tls.conf',
        contents: { source: dataUrl(`[DEFAULT]\n${setting}\n`) },
      },
    );
    const rules = lintConfig(config, { now }).map(({ rule }) => rule);
    expect(rules.filter((id) => id === 'conf-ca-missing')).toHaveLength(count);
  });

  it.each([
    ['all of /etc', '--volume /etc:/etc'],
    ['a trust store of the host', '--volume /etc/pki/ca-trust:/etc/pki/ca-trust'],
    ['a variable', '--env REQUESTS_CA_BUNDLE=/x'],
    ['variables in a file', '--env-file /x'],
  ])('does not report it if the container has %s', (_title, flag) => {
    const { systemd = {} } = withUnit(['--privileged', `--privileged ${flag}`]);
    const text = '[DEFAULT]\napi_url = https://10.0.0.1\ninsecure = False\n';
    expect(summary({ ...withConf(text), systemd })).toEqual([]);
    const { systemd: _unit, ...withAnchor } = withFiles(
      { path: conf, contents: { source: dataUrl(text) } },
      { path: anchor, contents: { source: 'data:,' } },
    );
    expect(summary({ ...withAnchor, systemd })).toEqual([]);
  });

  it.each([
    ['debug = true', 1],
    ['insecure = false', 0],
  ])('reports that nothing states the verification, unless another conf does: %s', (setting, count) => {
    const config = withFiles(
      { path: conf, contents: { source: dataUrl('[DEFAULT]\napi_url = https://192.0.2.1\n') } },
      {
        path: '/etc/ironic-python-agent.d/tls.conf',
        contents: { source: dataUrl(`[DEFAULT]\n${setting}\n`) },
      },
    );
    const rules = lintConfig(config, { now }).map(({ rule }) => rule);
    expect(rules.filter((id) => id === 'conf-insecure-unset')).toHaveLength(count);
  });

  it.each([
    ['collectors', '[ironic_python_agent.inspector.collectors]\nmy-own = mine:collect\n', 0],
    ['hardware managers', '[ironic_python_agent.hardware_managers]\nmine = mine:Manager\n', 1],
  ])('knows that a Python package in the config adds %s', (_title, entryPoints, count) => {
    const path = '/var/lib/ironic-python-agent/hardware-managers/mine/mine.dist-info/entry_points.txt';
    const config = withFiles(
      { path: conf, contents: { source: dataUrl('[DEFAULT]\ninspection_collectors = default,my-own\n') } },
      { path, contents: { source: dataUrl(entryPoints) } },
    );
    const rules = lintConfig(config, { now }).map(({ rule }) => rule);
    expect(rules.filter((id) => id === 'conf-collector')).toHaveLength(count);
  });

  it('knows the collectors of the release', () => {
    const config = withConf('[DEFAULT]\ninspection_collectors = lldp\n');
    const rules = (ipaVersion: string): string[] =>
      lintConfig(config, { now, ipaVersion: parseIpaVersion(ipaVersion) }).map(({ rule }) => rule);
    expect(rules('9.4')).toEqual(['conf-collector']);
    expect(rules('9.5')).toEqual([]);
  });

  it('notes a CA certificate that the conf does not name', () => {
    const cafile = (path: string): ReturnType<typeof withFiles> =>
      withFiles(
        {
          path: conf,
          contents: {
            source: dataUrl(`[DEFAULT]\napi_url = https://192.0.2.1\ninsecure = 0\ncafile = ${path}\n`),
          },
        },
        { path: anchor, contents: { source: 'https://192.0.2.1/ca' } },
      );
    expect(summary(cafile(anchor))).toEqual([]);
    expect(
      summary(
        withFiles(
          {
            path: conf,
            contents: { source: dataUrl('[DEFAULT]\napi_url = https://192.0.2.1\ninsecure = 0\n') },
          },
          { path: anchor, contents: { source: 'https://192.0.2.1/ca' } },
        ),
      ),
    ).toEqual([`agent-conf-ca-unused ${source}`]);
  });
});
