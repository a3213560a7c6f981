/** No command replaces a file that it has read: in each case, its output is one of its inputs, by some path or link. */

import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeSampleIso } from '../../../src/image/sampleIso.ts';
import { sampleFiles } from '../../support/sampleIso.ts';
import { runCli } from '../../support/runCli.ts';

const config = '{"ignition":{"version":"3.4.0"}}\n';
const ca = resolve(import.meta.dirname, '../../support/certificates/test-ca.pem');
const inventory =
  'agent:\n  ironic.apiUrls: https://192.0.2.1\nhosts:\n  - name: a\n    mac: 52:54:00:00:00:01\n    overrides:\n      ignition.merge: [hosts/a.ign]\n';

const sample = await writeSampleIso({ label: 'fedora', date: new Date(0) });
let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'read files '));
  const files = {
    'a.ign': config,
    'b.ign': config,
    'hosts/a.ign': config,
    'hosts.yaml': inventory,
    'eth0.nmconnection': '[connection]\nid=eth0\ntype=ethernet\ninterface-name=eth0\n[ipv4]\nmethod=auto\n',
    'live.iso': sample,
    'initrd.img': sampleFiles('fedora').get('images/pxeboot/initrd.img') ?? '',
    'user-data': '#!/bin/sh\n',
  };
  mkdirSync(join(cwd, 'hosts'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  cpSync(ca, join(cwd, 'ca.pem'));
  symlinkSync('a.ign', join(cwd, 'link'));
  linkSync(join(cwd, 'a.ign'), join(cwd, 'second name'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const render = ['render', '--no-ssh-key', '--api-url', 'https://192.0.2.1'];
const cases: readonly (readonly [title: string, output: string, args: readonly string[]])[] = [
  ['a CA file', 'ca.pem', [...render, '--ca-file', 'ca.pem', '-o', 'ca.pem']],
  ['a merged config', './a.ign', [...render, '--merge', 'a.ign', '-o', './a.ign']],
  ['the target of a link that is read', 'a.ign', [...render, '--merge', 'link', '-o', 'a.ign']],
  ['a link to a file that is read', 'link', [...render, '--merge', 'a.ign', '-o', 'link']],
  [
    'the second name of a file that is read',
    'second name',
    [...render, '--merge', 'a.ign', '-o', 'second name'],
  ],
  ['an input of a host', 'hosts/a.ign', ['render', '--inventory', 'hosts.yaml', '-o', 'hosts']],
  ['the config of pxe ignition wrap', 'a.ign', ['pxe', 'ignition', 'wrap', '-i', 'a.ign', '-o', 'a.ign']],
  [
    'the keyfile of pxe network wrap',
    'eth0.nmconnection',
    ['pxe', 'network', 'wrap', '-k', 'eth0.nmconnection', '-o', 'eth0.nmconnection'],
  ],
  [
    'the keyfile of pxe kargs',
    'eth0.nmconnection',
    [
      'pxe',
      'kargs',
      '--static',
      '--keyfile=eth0.nmconnection',
      '--base-url=http://192.0.2.1',
      '--output=eth0.nmconnection',
    ],
  ],
  [
    'the config of pxe customize',
    'a.ign',
    ['pxe', 'customize', '--live-ignition', 'a.ign', '--overwrite', '-o', 'a.ign', 'initrd.img'],
  ],
  [
    'the config of iso ignition embed',
    'a.ign',
    ['iso', 'ignition', 'embed', '-i', 'a.ign', '--overwrite', '-o', 'a.ign', 'live.iso'],
  ],
  [
    'the keyfile of iso network embed',
    'eth0.nmconnection',
    [
      'iso',
      'network',
      'embed',
      '-k',
      'eth0.nmconnection',
      '--overwrite',
      '-o',
      'eth0.nmconnection',
      'live.iso',
    ],
  ],
  [
    'the CA of iso customize',
    'ca.pem',
    ['iso', 'customize', '--ignition-ca', 'ca.pem', '--overwrite', '-o', 'ca.pem', 'live.iso'],
  ],
  ['a config of ignition merge', 'b.ign', ['ignition', 'merge', 'a.ign', 'b.ign', '-o', 'b.ign']],
  [
    'the config of ignition translate',
    'a.ign',
    ['ignition', 'translate', '--to', '3.5.0', 'a.ign', '-o', 'a.ign'],
  ],
];

it.each(cases)('%s', async (_title, output, args) => {
  const before = readFileSync(join(cwd, output));
  const { code, stderr } = await runCli(args, { cwd });
  expect(stderr).toContain(
    `${output} is an input of this command; it was not replaced\nhint: use another file for the output\n`,
  );
  expect(code).toBe(1);
  expect(readFileSync(join(cwd, output))).toEqual(before);
});

it('a file that was not read is replaced', async () => {
  const args = ['pxe', 'ignition', 'wrap', '-i', 'a.ign', '-o', 'b.ign'];
  expect(await runCli(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'b.ign'), 'utf8')).not.toBe(config);
});
