import { describe, expect, it } from 'vitest';
import type { Config, File } from '../../../src/ignition/config.ts';
import { dataUrl, messages, summary, withFiles, withUnit } from './support.ts';

const main = '/etc/containers/registries.conf';
const dropin = '/etc/containers/registries.conf.d/50-mirrors.conf';
const conf = (path: string, text: string): File => ({
  path,
  overwrite: true,
  contents: { source: dataUrl(text) },
});
const at = '$.storage.files.1.contents.source';

describe('registries.conf', () => {
  it.each([
    ['as it should be', conf(main, '[[registry]]\nlocation = "quay.io"\n'), []],
    ['not TOML', conf(main, 'hello world\n'), [`agent-registries-conf ${at}`]],
    ['a drop-in that is not TOML', conf(dropin, '{}'), [`agent-registries-conf ${at}`]],
    ['a URL', conf(dropin, '[[registry]]\nlocation = "https://quay.io"\n'), [`agent-registries-conf ${at}`]],
    ['an unknown key', conf(main, '[[registry]]\nlocation = "quay.io"\nmirors = 1\n'), []],
    ['version 1', conf(main, '[registries.search]\nregistries = ["quay.io"]\n'), []],
    ['another file', conf('/etc/containers/other.conf', 'hello world\n'), []],
    ['a drop-in that podman does not read', conf(`${dropin}.bak`, 'hello world\n'), []],
    [
      'a mirror on the machine',
      conf(main, '[[registry]]\nlocation = "quay.io"\nmirror = [{location = "127.0.0.1:5000"}]\n'),
      [`agent-address ${at}`],
    ],
    [
      'a file from elsewhere',
      { path: main, overwrite: true, contents: { source: 'https://192.0.2.1/registries.conf' } },
      [],
    ],
  ] satisfies [string, File, string[]][])('%s', (_title, file, expected) => {
    expect(summary(withFiles(file))).toEqual(expected);
  });

  const unit = '$.systemd.units.0.contents';
  const quay = '[[registry]]\nlocation = "quay.io"\n';
  const moved = '[[registry]]\nprefix = "quay.io"\nlocation = "10.0.0.1:5000"\n';
  const mirror = '[[registry.mirror]]\nlocation = "m.example.com"\n';
  it.each([
    ['blocks the registry', `${quay}blocked = true\n`, [`agent-image-registries ${unit}`]],
    ['blocks the registry, but not its mirror', `${quay}blocked = true\n${mirror}`, []],
    ['blocks another registry', '[[registry]]\nlocation = "docker.io"\nblocked = true\n', []],
    [
      'rewrites the image to a name without host',
      '[[registry]]\nprefix = "quay.io"\nlocation = "mirror"\n',
      [`agent-image-registries ${unit}`],
    ],
    ['moves the image to a registry without a public certificate', moved, [`agent-image-issuer ${unit}`]],
    ['does not verify this registry', `${moved}insecure = true\n`, []],
  ])('%s', (_title, text, expected) => {
    expect(summary(withFiles(conf(main, text)))).toEqual(expected);
  });

  it('replaces the entry of a previous file', () => {
    const files = [conf(main, `${quay}blocked = true\n`), conf(dropin, quay)];
    expect(summary(withFiles(...files))).toEqual([]);
  });

  it.each([
    ['of the registry', '/etc/containers/certs.d/10.0.0.1:5000/ca.crt', []],
    ['of another port', '/etc/containers/certs.d/10.0.0.1/ca.crt', [`agent-image-issuer ${unit}`]],
  ])('is pulled with a certificate %s', (_title, path, expected) => {
    const certificate = { path, contents: { source: 'data:,' } };
    const found = summary(withFiles(conf(main, moved), certificate));
    expect(found.filter((line) => line.startsWith('agent-image'))).toEqual(expected);
  });

  it('is reported with line and column', () => {
    const config = withFiles(conf(main, '[[registry]]\nlocation = "quay.io"\ninsecure = "yes"\n'));
    expect(messages(config)).toEqual(['registries.conf:3:1: invalid value of "insecure"']);
  });

  const unqualified = 'agent-image-unpullable $.systemd.units.0.contents';
  it.each([
    ['names no registry', [conf(main, '')], [unqualified]],
    ['names one', [conf(main, 'unqualified-search-registries = ["quay.io"]\n')], []],
    ['names several', [conf(main, 'unqualified-search-registries = ["quay.io", "docker.io"]\n')], []],
    [
      'names several, and has podman ask',
      [
        conf(
          main,
          'unqualified-search-registries = ["quay.io", "docker.io"]\nshort-name-mode = "enforcing"\n',
        ),
      ],
      [unqualified],
    ],
    [
      'has the image as an alias',
      [conf(main, '[aliases]\n"metal3-io/ironic-agent" = "quay.io/example/ironic-agent"\n')],
      [],
    ],
    [
      'has another alias',
      [conf(main, '[aliases]\n"ironic-agent" = "quay.io/example/ironic-agent"\n')],
      [unqualified],
    ],
    [
      'is that of CoreOS with several in a drop-in',
      [conf(dropin, 'unqualified-search-registries = ["quay.io", "docker.io"]\n')],
      [unqualified],
    ],
    [
      'is that of CoreOS with a mode in a drop-in',
      [conf(dropin, 'unqualified-search-registries = ["a", "b"]\nshort-name-mode = "permissive"\n')],
      [],
    ],
  ] satisfies [string, File[], string[]][])('for a short name where it %s', (_title, files, expected) => {
    const { systemd = {} } = withUnit(['quay.io/example/ironic-agent', 'metal3-io/ironic-agent']);
    const config: Config = { ...withFiles(...files), systemd };
    expect(summary(config)).toEqual(expected);
    const merged: Config = {
      ...config,
      ignition: { version: '3.2.0', config: { merge: [{ source: 'https://192.0.2.1/x' }] } },
    };
    expect(summary(merged)).not.toContain(unqualified);
  });
});
