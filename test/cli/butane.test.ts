/** Every command that reads a config reads Butane, and writes Ignition JSON. */

import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { runCli, type RunResult } from '../support/runCli.ts';

const good =
  'variant: fcos\nversion: 1.5.0\nstorage:\n  files:\n    - path: /etc/x\n      contents:\n        inline: hi\n';
const json =
  '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/x","contents":{"compression":"","source":"data:,hi"}}]}}\n';
const inline = (document: string): string =>
  JSON.stringify({
    ignition: { version: '3.4.0', config: { merge: [{ source: `data:,${encodeURIComponent(document)}` }] } },
  });
const texts: Readonly<Record<string, string>> = {
  'good.bu': good,
  'flow.ign': '{variant: fcos, version: 1.5.0, storage: {files: [{path: /etc/x, contents: {inline: hi}}]}}',
  'json.ign':
    '{"variant":"fcos","version":"1.5.0","storage":{"files":[{"path":"/etc/x","contents":{"inline":"hi"}}]}}',
  'invalid.bu': good.replace('/etc', 'etc'),
  'local.bu': good.replace('inline: hi', 'local: a.txt'),
  'openshift.bu': 'variant: openshift\nversion: 4.14.0\n',
  'secret.bu': `${good.replace('/etc', 'etc')}passwd: {users: [{name: core, password_hash: $6$hunter2}]}\n`,
  'outer.ign': inline(good),
};

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'butane ')));
  for (const [name, text] of Object.entries(texts)) await writeFile(join(cwd, name), text);
  await mkdir(join(cwd, 'files'));
  await writeFile(join(cwd, 'files', 'a.txt'), 'hi');
  await writeFile(join(cwd, 'coreos.iso'), liveIso('2023-07'));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (line: string, stdin = ''): Promise<RunResult> =>
  runCli(line.split(' '), { cwd, ...(stdin !== '' && { stdin }) });

/** A file of a Butane document, with further lines. */
const fileOf = (...lines: readonly string[]): string =>
  ['storage:', '  files:', '    - path: /etc/x', ...lines.map((line) => `      ${line}`), ''].join('\n');

describe('hints', () => {
  it.each<[title: string, version: string, text: string, hint: string]>([
    [
      'a key',
      '1.6.0',
      'storage: {filesystems: [{device: /dev/sdb, format: xfs}], disks: [{device: /dev/sdb, wipe_table: true}]}\n',
      'set wipe_filesystem if this is intended, or remove wipe_table from the disk',
    ],
    [
      'a key in quotes',
      '1.6.0',
      'kernel_arguments: {should_exist: [quiet]}\n',
      'remove "kernel_arguments"; add the arguments with "ironic-coreos iso kargs modify --append" or "ironic-coreos pxe kargs --append"',
    ],
    [
      'contents',
      '1.6.0',
      fileOf('overwrite: true'),
      'set contents.inline ("" for an empty file), or remove overwrite',
    ],
    [
      'a text in place of a URL',
      '1.6.0',
      fileOf('contents: {source: hello}'),
      'write an absolute URL, e.g. https://HOST/PATH, or "inline" for the contents themselves',
    ],
    [
      'a local file',
      '1.6.0',
      fileOf('contents: {source: "file:///x"}'),
      'use "local" with a path below --files-dir: Ignition cannot read local files',
    ],
    [
      'a version',
      '1.1.0',
      fileOf('contents: {source: "gs://a/b"}'),
      'use version 1.2.0 or newer for gs: URLs',
    ],
    [
      'a mode that looks decimal',
      '1.6.0',
      fileOf('mode: 1777'),
      'write the mode in octal with a leading zero, for example 0644',
    ],
    ['a mode that is too large', '1.6.0', fileOf('mode: 010000'), 'use an octal number from 0 to 07777'],
    [
      'a mode of a newer version',
      '1.6.0',
      fileOf('mode: 01777'),
      'remove these bits from the mode, or use version 1.7.0',
    ],
    [
      'a path with the name of a key',
      '1.6.0',
      fileOf().replace('/etc/x', 'etc/keyFile'),
      'write "/etc/keyFile"',
    ],
    [
      'a key of Ignition',
      '1.6.0',
      'storage: {disks: [{device: /dev/sdb, partitions: [{number: 1, sizeMiB: 1}]}]}\n',
      'use "size_mib"',
    ],
  ])('have the terms of Butane: %s', async (_title, version, text, hint) => {
    await writeFile(join(cwd, 'a.bu'), `variant: fcos\nversion: ${version}\n${text}`);
    const { stdout, stderr } = await run('iso ignition embed -i a.bu -o new.iso coreos.iso');
    expect(`${stdout}${stderr}`.split('\n')).toContain(`hint: ${hint}`);
  });

  it('of YAML that is no Butane have the terms of Ignition', async () => {
    await writeFile(
      join(cwd, 'a.yaml'),
      'ignition: {version: 3.5.0}\nkernelArguments: {shouldExist: [quiet]}\n',
    );
    const { stderr } = await run('iso ignition embed -i a.yaml -o new.iso coreos.iso');
    expect(stderr).toContain('hint: remove "kernelArguments"; ');
  });
});

describe('validate', () => {
  it.each([
    ['good.bu', 0, 'good.bu: valid\n'],
    ['flow.ign', 0, 'flow.ign: valid\n'],
    ['json.ign', 0, 'json.ign: valid\n'],
    ['outer.ign', 1, 'hint: translate the Butane config first, with `ironic-coreos ignition from-butane`'],
    ['--lint none outer.ign', 0, 'outer.ign: valid\n'],
    ['--files-dir files local.bu', 0, 'local.bu: valid\n'],
    ['--files-dir missing local.bu', 1, 'the folder of local files cannot be read: missing'],
    ['local.bu', 1, '--> local.bu:7:16\n'],
    ['invalid.bu', 1, '--> invalid.bu:5:13\n'],
    ['openshift.bu', 1, 'hint: translate it with "butane --raw"'],
  ])('%s', async (line, code, expected) => {
    const { stdout, stderr, ...result } = await run(`validate ${line}`);
    expect(result.code).toBe(code);
    expect(stdout + stderr).toContain(expected);
  });

  it('prints no secrets', async () => {
    const { stdout, stderr } = await run('validate secret.bu');
    expect(stdout).toContain('secret.bu:5:13');
    expect(stdout + stderr).not.toContain('hunter2');
  });
});

describe('translate', () => {
  it.each(['good.bu', 'flow.ign', 'json.ign'])('from-butane %s', async (file) => {
    expect(await run(`ignition from-butane ${file}`)).toMatchObject({ code: 0, stdout: json, stderr: '' });
  });

  it('from-butane reads standard input and local files', async () => {
    expect((await run('ignition from-butane -', good)).stdout).toBe(json);
    expect((await run('ignition from-butane -d files local.bu')).stdout).toBe(json);
    expect(await run('ignition from-butane local.bu')).toMatchObject({ code: 1, stdout: '' });
  });

  it('ignition merge and translate', async () => {
    expect((await run('ignition merge good.bu json.ign')).stdout).not.toContain('variant');
    expect((await run('ignition translate --to 3.2.0 good.bu')).stdout).toBe(json.replace('3.4.0', '3.2.0'));
  });

  it('iso ignition embed and pxe ignition wrap', async () => {
    expect(await run('iso ignition embed -i good.bu coreos.iso')).toMatchObject({ code: 0, stderr: '' });
    expect((await run('iso ignition show coreos.iso')).stdout).toBe(json);
    const { stdoutBytes } = await run('pxe ignition wrap --files-dir files -i local.bu');
    const unwrapped = await runCli(['pxe', 'ignition', 'unwrap'], { cwd, stdin: stdoutBytes });
    expect(unwrapped.stdout).toBe(json);
  });

  it('iso customize, of both systems', async () => {
    const line =
      '--live-ignition good.bu --dest-ignition good.bu --dest-device /dev/sda -o out.iso coreos.iso';
    expect(await run(`iso customize ${line}`)).toMatchObject({ code: 0 });
    expect((await run('iso ignition show out.iso')).stdout).not.toContain('variant');
  });

  it('render --merge, and an inventory', async () => {
    const base = '--api-url https://192.0.2.1 --insecure --agent-image registry.example.com/agent';
    expect((await run(`render ${base} --merge good.bu`)).stdout).toContain('/etc/x');
    const inventory =
      'agent:\n  ironic.apiUrls: [https://192.0.2.1]\n  ironic.insecure: true\n  agent.image: registry.example.com/agent\n' +
      '  ignition.merge: [good.bu]\nhosts:\n  - name: a\n    mac: 52:54:00:00:00:01\n';
    await writeFile(join(cwd, 'inv.yaml'), inventory);
    await run('render --inventory inv.yaml -o out');
    expect(await readFile(join(cwd, 'out', 'a.ign'), 'utf8')).toContain('/etc/x');
  });

  it('deploy --ignition', async () => {
    const { stdout } = await run('deploy configdrive --ignition good.bu');
    expect(JSON.parse(stdout)).toEqual({ user_data: JSON.parse(json) });
  });

  const agent =
    'agent:\n  ironic.apiUrls: [https://192.0.2.1]\n  ironic.insecure: true\n  agent.image: registry.example.com/agent\n' +
    '  ignition.merge: [local.bu]\n';
  const deploy = 'deploy:\n  ignition: local.bu\n';
  const hosts = 'hosts:\n  - name: a\n    mac: 52:54:00:00:00:01\n';
  const base = '--api-url https://192.0.2.1 --insecure --agent-image registry.example.com/agent';

  /** Of commands with a folder of local files, and of the same without it. */
  it.each<[title: string, line: string, inventory: string, setting: string]>([
    ['render', `render ${base} --merge local.bu`, '', '--files-dir files'],
    ['render with an inventory', 'render --inventory in/inv.yaml -o -', agent, '--files-dir files'],
    ['a setting', 'render --inventory in/inv.yaml -o -', agent, '  ignition.filesDir: files\n'],
    ['deploy configdrive', 'deploy configdrive --ignition local.bu', '', '--files-dir files'],
    ['deploy with an inventory', 'deploy configdrive --inventory in/inv.yaml', deploy, '--files-dir files'],
    ['a setting of deploy', 'deploy configdrive --inventory in/inv.yaml', deploy, '  filesDir: files\n'],
    [
      'deploy baremetalhost',
      'deploy baremetalhost --name a --boot-mac 52:54:00:00:00:01 --root-device deviceName=/dev/sda ' +
        '--bmc-address redfish://192.0.2.9/redfish/v1/Systems/1 --ignition local.bu',
      '',
      '--files-dir files',
    ],
  ])('local files: %s', async (_title, line, inventory, setting) => {
    const isFlag = setting.startsWith('--');
    const parts = inventory.startsWith('deploy') ? hosts : '';
    // An inventory names files relative to its folder, and not to the current one.
    await mkdir(join(cwd, 'in', 'files'), { recursive: true });
    await writeFile(join(cwd, 'in', 'local.bu'), texts['local.bu']!);
    await writeFile(join(cwd, 'in', 'files', 'a.txt'), 'hi');
    if (!isFlag) await rm(join(cwd, 'files'), { recursive: true });
    await writeFile(join(cwd, 'in', 'inv.yaml'), inventory + parts);
    const without = await run(line);
    expect([without.code, without.stdout]).toEqual([1, '']);
    expect(without.stderr).toContain('local.bu:7:16');
    await writeFile(join(cwd, 'in', 'inv.yaml'), inventory + (isFlag ? '' : setting) + parts);
    const { code, stdout, stderr } = await run(isFlag ? `${line} ${setting}` : line);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('data:,hi');
  });

  it('prepare reads the setting', async () => {
    await writeFile(join(cwd, 'inv.yaml'), `${agent}  ignition.filesDir: files\n${hosts}`);
    const prepared = await run('prepare --inventory inv.yaml --iso coreos.iso --artifacts ign -o out');
    expect(prepared).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, 'out', 'hosts', 'a', 'config.ign'), 'utf8')).toContain('data:,hi');
  });

  it.each([
    'iso ignition embed -i invalid.bu coreos.iso',
    'iso ignition embed --no-validate -i local.bu coreos.iso',
    'iso customize --no-validate --live-ignition local.bu coreos.iso',
    'pxe ignition wrap -i openshift.bu',
    'ignition merge invalid.bu good.bu',
  ])('refuses: %s', async (line) => {
    const { code, stderr, stdout } = await run(line);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/(?:invalid|local|openshift)\.bu:\d+:\d+/);
    expect(await readFile(join(cwd, 'coreos.iso'))).toEqual(Buffer.from(liveIso('2023-07')));
  });
});
