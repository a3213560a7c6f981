/** `serve --nmstate-dir`: hosts, environment and names of the image-customization-controller's static server. */

import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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
