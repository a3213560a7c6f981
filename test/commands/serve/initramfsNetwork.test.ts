/** A served image has the network of its host in the initramfs, as the bytes that `prepare` writes, grown or not. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { preparedFile } from '../../support/preparedFile.ts';
import { place } from './support.ts';

const { path, run, serve, write } = place();

const keyfile =
  '[connection]\nid=static\ntype=ethernet\ninterface-name=eth0\n\n[ipv4]\nmethod=manual\naddress1=127.0.0.5/8\n\n[ipv6]\nmethod=disabled\n';
const large = createHash('shake256', { outputLength: 340_000 }).update('noise').digest();
const inventory = `agent:
  ironic.apiUrls: https://127.0.0.9
hosts:
- name: static
  network: {keyfiles: {static.nmconnection: ${JSON.stringify(keyfile)}}}
- name: grown
  network: {keyfiles: {static.nmconnection: ${JSON.stringify(keyfile)}}}
  overrides: {ignition.files: ['/etc/noise=noise']}
`;

const files = {
  iso: 'live.iso',
  'minimal-iso': 'minimal.iso',
  initramfs: 'initramfs.img',
  archive: 'config.img',
};

/** The output of the command that extracts the network settings. */
const network: unknown = expect.stringContaining(keyfile);
const artifacts = Object.keys(files).join(',');

describe('the network of a host', () => {
  it('is in the images of serve, which are those that prepare writes, grown or not', async () => {
    write('noise', large);
    write('network.yaml', inventory);
    const { origin, urls } = await serve({ inventory: 'network.yaml', artifacts, grow: true });
    const options = ['--iso', 'live.iso', '--base-url', origin, '--artifacts', artifacts, '--grow'];
    await run('prepare', '--inventory', 'network.yaml', '-o', 'boot', ...options);
    for (const host of ['static', 'grown']) {
      for (const [artifact, file] of Object.entries(files)) {
        const found = await compare({
          artifact,
          url: urls[host]?.[artifact],
          prepared: preparedFile(path('boot'), host, file),
        });
        expect
          .soft(found, `${artifact} of ${host}`)
          .toEqual({ isSame: true, served: network, prepared: network });
      }
    }
  });
});

interface Compared {
  readonly artifact: string;
  readonly url: string | undefined;
  readonly prepared: string;
}

async function compare({ artifact, prepared, url = '' }: Compared): Promise<Record<string, unknown>> {
  const served = Buffer.from(await (await fetch(url)).arrayBuffer());
  write('served', served);
  const command = artifact.endsWith('iso') ? ['iso', 'network', 'extract'] : ['pxe', 'network', 'unwrap'];
  return {
    // In a minimal ISO, the URL of the root filesystem differs: below `serve` it is a path of the host.
    isSame: artifact === 'minimal-iso' || served.equals(readFileSync(prepared)),
    served: (await run(...command, 'served')).stdout,
    prepared: (await run(...command, prepared)).stdout,
  };
}
