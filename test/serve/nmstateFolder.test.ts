/** `serve --nmstate-dir`: hosts, environment and names of the image-customization-controller's static server. */

import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { machineName } from '../../src/core/architecture.ts';
import { givenOrIccImages } from '../../src/serve/iccImages.ts';
import { place } from './support.ts';

const { path, serve, write } = place();
mkdirSync(path('network'));
mkdirSync(path('network/folder'));
write('network/worker-0.yaml', '');
write(
  'network/worker-1.yml',
  'interfaces: [{name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}]\n',
);
write('network/worker-1.yaml', '');
write('network/no host.yaml', '');

const env = {
  IRONIC_BASE_URL: 'https://192.0.2.1',
  IRONIC_AGENT_IMAGE: 'registry.example.com/agent:1',
  IRONIC_AGENT_PULL_SECRET: Buffer.from('{"auths":{}}').toString('base64'),
};

describe('a folder of nmstate files', () => {
  it('gives a host for each, named after it, with the config of the controller', async () => {
    const { asOperator, said, urls } = await serve({ nmstateDir: 'network' }, env);
    expect(Object.keys(urls)).toEqual(['worker-0', 'worker-1']);
    const config = await (await asOperator('/worker-0.ign')).text();
    expect(config).toContain('"version":"3.2.0"');
    expect(config).toContain('registry.example.com/agent:1');
    expect(said()).toContain('another file exists for the host worker-1');
    expect(said()).toContain('the file name no host is not a valid host name');
  });

  it('takes the images of the environment, and serves them under its names where everybody may have them', async () => {
    const images = { DEPLOY_ISO: path('live.iso') };
    const { origin } = await serve({ nmstateDir: 'network', open: true, iso: [] }, { ...env, ...images });
    for (const name of ['worker-0.iso', 'worker-0.ign']) {
      expect([name, (await fetch(`${origin}/${name}`, { method: 'HEAD' })).status]).toEqual([name, 200]);
    }
  });
});

describe('the images of the environment', () => {
  const folder = path('shared');
  mkdirSync(folder);
  const files = [
    'ipa.iso',
    'ipa_aarch64.iso',
    'ipa.s390x.iso',
    'ipa-rhel-9.iso',
    'ipa-rhel-10.iso',
    'ipa-rhel-10_aarch64.iso',
    'ipa-rhel-9.8.aarch64.iso',
    'ipa-.iso',
    'ipa--x.iso',
    'ipaX.iso',
    'ipa-rhel-10.iso.sha256',
    'other-rhel-10.iso',
    'ipa.initramfs',
    'ipa-rhel-10.initramfs',
  ];
  for (const file of files) write(`shared/${file}`, '');
  const machine = machineName(process.arch);

  it('are those of all streams and architectures in the folder, as image-customization-controller names them', async () => {
    const given = {
      DEPLOY_ISO: '/other/ipa.iso',
      DEPLOY_INITRD: 'shared/ipa.initramfs',
      IMAGE_SHARED_DIR: 'shared',
    };
    const { iso, initramfs, kernel } = await givenOrIccImages({}, { env: given, cwd: path('') });
    expect(iso).toEqual([
      '/other/ipa.iso',
      `rhel-10/${machine}=shared/ipa-rhel-10.iso`,
      'rhel-10/aarch64=shared/ipa-rhel-10_aarch64.iso',
      'rhel-9.8/aarch64=shared/ipa-rhel-9.8.aarch64.iso',
      `rhel-9/${machine}=shared/ipa-rhel-9.iso`,
      's390x=shared/ipa.s390x.iso',
      'aarch64=shared/ipa_aarch64.iso',
    ]);
    expect(initramfs).toEqual(['shared/ipa.initramfs', `rhel-10/${machine}=shared/ipa-rhel-10.initramfs`]);
    expect(kernel).toEqual([]);
  });

  it.each([
    ['--iso', { iso: ['live.iso'] }],
    ['--images', { images: 'downloads' }],
  ])('are ignored with %s', async (_option, options) => {
    const given = { DEPLOY_ISO: 'shared/ipa.iso' };
    expect(await givenOrIccImages(options, { env: given, cwd: path('') })).toBe(options);
  });
});
