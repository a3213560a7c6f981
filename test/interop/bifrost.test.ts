/**
 * The variables file of `prepare --layout bifrost`, loaded by Ansible, and the files that Bifrost's own templates render from
 * it.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseOsloConfig } from '../../src/formats/osloConfig.ts';
import { liveIso } from '../support/liveIso.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';

const bifrost = oracleFile('Bifrost');

const url = 'http://192.0.2.1:8080/ironic-python-agent';
const live =
  `coreos.live.rootfs_url=${url}.rootfs ignition.config.url=${url}.ign ` +
  'ignition.firstboot ignition.platform.id=metal console=ttyS0,115200n8';
const folder = mkdtempSync(join(tmpdir(), 'bifrost it '));
const path = (...steps: readonly string[]): string => join(folder, ...steps);
const variables = path('httpboot/bifrost-variables.yaml');

function ansible(name: string, args: readonly string[]) {
  const env = { ...process.env, HOME: folder, ANSIBLE_NOCOLOR: '1', ANSIBLE_LOCALHOST_WARNING: 'False' };
  const hosts = join(import.meta.dirname, 'bifrost/hosts.yml');
  const { status, stdout, stderr } = spawnSync(oracleFile(name), ['-i', hosts, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env,
  });
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  return { stdout, stderr };
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!have('ansible'))(`Ansible itself${oracleNote('ansible')}`, () => {
  it.each([
    ['a={{ 1 + 1 }}', 'a=2'],
    ['a={% if true %}b{% endif %}', 'a=b'],
    ['a{# b #}', 'a'],
  ])('evaluates an argument that looks like a template: %s', (text, value) => {
    writeFileSync(path('template.yaml'), JSON.stringify({ extra_kernel_options: text }));
    const args = ['localhost', '-m', 'debug', '-a', 'var=extra_kernel_options'];
    const { stdout } = ansible('ansible', [...args, '-e', `@${path('template.yaml')}`]);
    expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toEqual({ extra_kernel_options: value });
  });
});

describe.skipIf(!have('Bifrost', 'Ansible'))(
  `prepare --layout bifrost and Bifrost itself${oracleNote('Bifrost', 'Ansible')}`,
  () => {
    beforeAll(async () => {
      writeFileSync(path('live.iso'), liveIso('2023-07'));
      writeFileSync(
        path('agent.yaml'),
        'agent: {ironic.apiUrls: https://192.0.2.1:6385, ironic.insecure: true, host.consoles: ["ttyS0,115200n8"]}\n',
      );
      const args = [
        '--layout',
        'bifrost',
        '--iso',
        'live.iso',
        '--inventory',
        'agent.yaml',
        '-o',
        'httpboot',
      ];
      const { code, stderr } = await runCli(['prepare', ...args, '--base-url', 'http://192.0.2.1:8080'], {
        cwd: folder,
      });
      if (code !== 0) throw new Error(stderr);
    });

    it('is loaded without a warning', () => {
      const message = 'msg={{ [extra_kernel_options, download_ipa] | to_json }}';
      const args = ['localhost', '-m', 'debug', '-a', message, '-e', `@${variables}`];
      const { stdout, stderr } = ansible('ansible', args);
      expect(stderr).toBe('');
      expect(stdout).not.toMatch(/WARNING|DEPRECAT/);
      const { msg }: { msg: string } = JSON.parse(stdout.slice(stdout.indexOf('{')));
      expect(JSON.parse(msg)).toEqual([live, false]);
    });

    it('gives the ironic.conf that Bifrost renders', () => {
      const play = join(import.meta.dirname, 'bifrost/render.yml');
      ansible('ansible-playbook', [
        play,
        '-e',
        JSON.stringify({ bifrost, result: folder }),
        '-e',
        `@${variables}`,
      ]);
      const { entries } = parseOsloConfig(readFileSync(path('ironic.conf'), 'utf8'));
      const options = entries.filter((entry) => entry.kind === 'option');
      const valueOf = (section: string, name: string): string | undefined =>
        options.find((option) => option.section === section && option.name === name)?.value;
      expect(valueOf('DEFAULT', 'enabled_deploy_interfaces')).toBe('direct,ramdisk,custom-agent');
      for (const name of ['deploy_kernel', 'rescue_kernel'])
        expect(valueOf('conductor', name)).toBe(`${url}.kernel`);
      for (const name of ['deploy_ramdisk', 'rescue_ramdisk']) {
        expect(valueOf('conductor', name)).toBe(`${url}.initramfs`);
      }
      for (const section of ['pxe', 'redfish']) {
        const words = valueOf(section, 'kernel_append_params')?.split(/\s+/) ?? [];
        expect(words.join(' ')).toContain(live);
        expect(words.slice(0, words.indexOf(live.split(' ')[0] ?? ''))).toEqual([
          'nofb',
          'nomodeset',
          'systemd.journald.forward_to_console=yes',
          'ipa-insecure=1',
        ]);
      }
      expect(valueOf('inspector', 'extra_kernel_params')).toBe(
        `ipa-inspection-collectors=default,logs ${live}`,
      );
      // The folder of file URLs is the default of Ironic, and the folder of the web server is in it.
      expect(valueOf('conductor', 'file_url_allowed_paths')).toBeUndefined();
      expect(valueOf('deploy', 'http_root')).toBe('/var/lib/ironic/httpboot');
      // The script for machines that are not enrolled.
      const [, kernel = ''] = /^kernel (.*)$/m.exec(readFileSync(path('default'), 'utf8')) ?? [];
      expect(kernel).toContain(live);
      expect(kernel.startsWith(`${url}.kernel `)).toBe(true);
    });
  },
);
