/** `serve --nmstate-dir`: hosts, environment and names of the image-customization-controller's static server. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { machineName } from '../../../src/core/architecture.ts';
import { givenOrIccImages } from '../../../src/service/iccImages.ts';
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

describe('links in the folder', () => {
  mkdirSync(path('volume/..2026'), { recursive: true });
  writeFileSync(path('volume/..2026/worker-2.yaml'), '');
  symlinkSync('..2026', path('volume/..data'));
  symlinkSync('..data/worker-2.yaml', path('volume/worker-2.yaml')); // as Kubernetes mounts a ConfigMap
  writeFileSync(path('shadow'), 'root:$6$salt$hash:\n');
  symlinkSync('../shadow', path('volume/worker-3.yaml'));

  it('are followed inside of it, and refused where they lead out of it, with nothing of their target', async () => {
    const { said, urls } = await serve({ nmstateDir: 'volume' }, env);
    expect(Object.keys(urls)).toEqual(['worker-2']);
    expect(said()).toContain('the file is a link that leads out of the folder');
    expect(said()).not.toContain('root');
  });

  it('are left out of the images of the environment', async () => {
    mkdirSync(path('linked'));
    write('linked/ipa.iso', '');
    write('linked/ipa_aarch64.iso', '');
    symlinkSync('../shadow', path('linked/ipa_s390x.iso'));
    const { iso } = await givenOrIccImages({}, { DEPLOY_ISO: 'linked/ipa.iso' }, path(''));
    expect(iso).toEqual(['linked/ipa.iso', 'aarch64=linked/ipa_aarch64.iso']);
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
    const { iso, initramfs, kernel } = await givenOrIccImages({}, given, path(''));
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
    expect(await givenOrIccImages(options, given, path(''))).toBe(options);
  });
});
