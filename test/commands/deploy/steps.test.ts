import { readFileSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { deployFolder, files, secret } from './support.ts';

const { path, run } = deployFolder();
const steps = (...args: string[]) => run(['steps', ...args]);
const drive = ['--ignition', 'host.ign', '--config-drive', 'drive.json'];
const config: unknown = JSON.parse(files['host.ign']);

const validator = (name: string) => {
  const text = readFileSync(join(import.meta.dirname, `../../../schemas/deploy/${name}.json`), 'utf8');
  const schema: object = JSON.parse(text);
  return new Ajv().compile(schema);
};

describe('deploy steps', () => {
  it.each([
    ['install', drive, 'install'],
    [
      'install-kargs',
      [...drive, '--append-karg', 'a=1,2', '--append-karg', 'b', '--copy-network'],
      'install',
    ],
    ['assisted', ['--step', 'start_assisted_install'], 'assisted'],
  ])('writes what Ironic takes: %s', async (_title, args, golden) => {
    const { code, stdout } = await steps(...args);
    expect(code).toBe(0);
    expect(validator('steps')(JSON.parse(stdout))).toBe(true);
    await expect(stdout).toMatchFileSnapshot(`../../golden/deploy/steps-${golden}.json`);
    const yaml = await steps(...args, '--format', 'yaml');
    await expect(yaml.stdout).toMatchFileSnapshot(`../../golden/deploy/steps-${golden}.yaml`);
    expect(load(yaml.stdout)).toEqual(JSON.parse(stdout));
  });

  it('writes the config drive that they read, for nobody else', async () => {
    await rm(path('drive.json'), { force: true });
    await steps(...drive, '--append-karg', 'a=1,2', '--append-karg', 'b', '--no-copy-network');
    const text = await readFile(path('drive.json'), 'utf8');
    const value: unknown = JSON.parse(text);
    expect(value).toEqual({
      user_data: config,
      meta_data: { coreos_append_karg: ['a=1,2 b'], coreos_copy_network: false },
    });
    expect(validator('configdrive')(value)).toBe(true);
    expect((await stat(path('drive.json'))).mode & 0o777).toBe(0o600);
  });

  it('writes a command for all of it', async () => {
    const args = ['--format', 'command', '--node', 'w1', '--image-source', 'https://h/i'];
    const { code, stdout, stderr } = await steps(...drive, ...args);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: --image-source: install_coreos does not verify/);
    await expect(stdout).toMatchFileSnapshot('../../golden/deploy/steps-command.sh');
  });

  it('installs an image with its checksum where custom-agent is off', async () => {
    const image = ['--image-source', 'https://h/i', '--image-checksum', 'a'.repeat(64)];
    const args = [...drive, '--format', 'command', '--node', 'w1', ...image];
    const { stdout, stderr } = await steps(...args);
    expect(stderr).not.toContain('ironic.conf');
    await expect(stdout).toMatchFileSnapshot('../../golden/deploy/steps-direct.sh');
    const { stdout: json, stderr: notes } = await steps(...drive, ...image);
    expect(validator('steps')(JSON.parse(json))).toBe(true);
    expect(notes).toContain(
      `hint: run baremetal node set NODE --deploy-interface direct --instance-info image_source=https://h/i --instance-info image_os_hash_algo=sha256 --instance-info image_os_hash_value=${'a'.repeat(64)}, or`,
    );
  });

  it('names the line of ironic.conf for custom-agent, and what the node needs', async () => {
    const { stderr } = await steps('--step', 'start_assisted_install');
    expect(stderr).toBe(
      'info: deploy steps cannot contain what they need on the node (steps-node)\n' +
        'hint: run baremetal node set NODE --deploy-interface custom-agent, or use --format command, which sets it\n' +
        'info: the conductor must enable the deploy interface custom-agent: Ironic does not by default (ironic-conf-line)\n' +
        'hint: add to the section [DEFAULT] of ironic.conf, unless it is there: enabled_deploy_interfaces = autodetect,direct,ramdisk,bootc,custom-agent\n',
    );
  });

  it('reads the config from standard input', async () => {
    const args = ['steps', '--ignition', '-', '--config-drive', 'stdin.json'];
    expect(await run(args, { stdin: files['host.ign'] })).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(path('stdin.json'), 'utf8'))).toEqual({ user_data: config });
  });

  it.each([
    [
      'a config that is not valid',
      ['--ignition', 'invalid.ign', '--config-drive', 'x.json'],
      /path-relative|not absolute/,
    ],
    [
      'a config with the host name',
      ['--ignition', 'hostname.ign', '--config-drive', 'x.json'],
      /adds \/etc\/hostname itself/,
    ],
    ['a config that is not there', ['--ignition', 'none.ign', '--config-drive', 'x.json'], /none\.ign/],
    ['a broken argument', ['--append-karg', 'a b', '--config-drive', 'x.json'], /--append-karg \(number 1\)/],
    [
      'an interface that runs no steps',
      ['--deploy-interface', 'ramdisk'],
      /--deploy-interface: .*: ramdisk \(step-interface\)\nhint: use/,
    ],
    [
      'an interface without an image',
      ['--deploy-interface', 'direct'],
      /--deploy-interface: .*requires an image/,
    ],
    [
      'an interface for another step',
      ['--step', 'start_assisted_install', '--deploy-interface', 'direct'],
      /--deploy-interface: .*\nhint: use the deploy interface custom-agent/,
    ],
    [
      'a broken checksum',
      ['--image-source', 'https://h/i', '--image-checksum', 'a'],
      /--image-checksum: missing or invalid/,
    ],
    ['a broken image', ['--image-source', 'ftp://h/i'], /--image-source: invalid image URL/],
    [
      'a config drive that replaces the config',
      ['--ignition', 'host.ign', '--config-drive', './host.ign'],
      /\.\/host\.ign is an input of this command/,
    ],
    [
      'arguments for assisted',
      ['--step', 'start_assisted_install', '--copy-network', '--config-drive', 'x.json'],
      /--copy-network/,
    ],
  ])('refuses %s, and writes nothing', async (_title, args, message) => {
    expect(await steps(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
    await expect(stat(path('x.json'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['a config without a place', ['--ignition', 'host.ign'], /--config-drive FILE/],
    ['arguments without a place', ['--append-karg', 'a'], /--config-drive FILE/],
    ['a place without a config', ['--config-drive', 'x.json'], /the config drive is empty/],
    ['standard output for two things', [...drive.slice(0, 2), '--config-drive', '-'], /deploy configdrive/],
    ['a command without a node', ['--format', 'command'], /--node NAME/],
    ['a node without a command', ['--node', 'w1'], /--format command/],
    ['an unknown step', ['--step', 'install'], /install_coreos, start_assisted_install/],
    ['an unknown format', ['--format', 'xml'], /json, yaml, command/],
    [
      'a format twice',
      ['--format', 'json', '--format', 'yaml'],
      /'--format <form>' cannot be used multiple times/,
    ],
  ])('asks for another command line: %s', async (_title, args, message) => {
    expect(await steps(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });

  it('warns of an image that the steps cannot name, and of a config for the ramdisk', async () => {
    const image = await steps('--image-source', 'https://h/i');
    expect(image).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/--instance-info image_source=https:\/\/h\/i,/),
    });
    const agent = await steps('--ignition', 'agent.ign', '--config-drive', 'agent.json');
    expect(agent).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/warning: the config runs ironic-python-agent/),
    });
  });

  it('never shows what is in the config', async () => {
    const { stdout, stderr } = await steps(...drive);
    expect(stdout + stderr).not.toContain(secret);
  });
});
