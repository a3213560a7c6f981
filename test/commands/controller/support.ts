/** Images of objects, made in process from a small live ISO; the cluster is a list of Secrets. */

import { imageEnv } from '../../support/agentImage.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll } from 'vitest';
import {
  type FactoryInputs,
  type ImageFactory,
  openImageFactory,
} from '../../../src/commands/controller/imageFactory.ts';
import type { ReadSecret } from '../../../src/commands/controller/buildRequest.ts';
import { controllerOptions } from '../../../src/commands/controller/options.ts';
import { type Given, givenOptions } from '../../support/givenOptions.ts';
import { createLinks } from '../../../src/hosts/plan/links.ts';
import { knownDigests } from '../../../src/io/files/fileDigests.ts';
import type { Io } from '../../../src/io/io.ts';
import { keyText } from '../../../src/kube/objects.ts';
import {
  type PreprovisioningImage,
  readPreprovisioningImage,
} from '../../../src/commands/controller/api/preprovisioningImage.ts';
import { createSigner } from '../../../src/http/server/answer/signedPath.ts';
import { isoPair } from '../../support/minimalIso.ts';
import { storedObject } from './api/support.ts';

type GivenController = Given<typeof controllerOptions>;

export const publicUrl = 'http://images.metal3.svc:8084';
export const links = createLinks(publicUrl, createSigner(Buffer.alloc(32, 'k')));

export const settings = `profile: default
agent:
  ironic.apiUrls: https://192.0.2.1
  host.sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 a@b']
`;

/** A network of its own for each host. */
export const nmstate = (address: string): string => `interfaces:
- name: eno1
  type: ethernet
  state: up
  ipv4:
    enabled: true
    dhcp: false
    address:
    - ip: ${address}
      prefix-length: 24
dns-resolver: {config: {server: [192.0.2.53]}}
`;

/** The same as network data of OpenStack. */
export const networkData = (address: string): string => `{
"links": [{"id": "nic1", "type": "phy", "ethernet_mac_address": "52:54:00:12:34:56"}],
"networks": [{"id": "n", "link": "nic1", "type": "ipv4", "ip_address": "${address}", "netmask": "255.255.255.0"}],
"services": [{"type": "dns", "address": "192.0.2.53"}]}
`;

export const secretOf = (text: string, version = '1'): Awaited<ReturnType<ReadSecret>> => ({
  metadata: { resourceVersion: version },
  data: { nmstate: Buffer.from(text).toString('base64') },
});

export interface Workplace {
  readonly folder: string;
  readonly io: Io;
  readonly said: () => string;
  readonly write: (name: string, content: string | Uint8Array) => string;
  /** Without options: `settings`, and a live ISO. Closed with the file of tests. */
  readonly factory: (options?: GivenController, more?: Partial<FactoryInputs>) => Promise<ImageFactory>;
}

/** A new folder for each file of tests, with `live.iso` and `ramdisk.yaml`. */
export function workplace(env: Io['env'] = {}): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'controller it '));
  const chunks: string[] = [];
  const collector = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const io: Io = {
    stdin: Readable.from([]),
    stdout: collector,
    stderr: collector,
    env: { ...imageEnv, ...env },
    cwd: folder,
    programName: 'ironic-coreos',
  };
  const write: Workplace['write'] = (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  write('live.iso', isoPair().full);
  write('ramdisk.yaml', settings);
  const factories: ImageFactory[] = [];
  afterAll(async () => {
    for (const factory of factories) await factory.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    io,
    write,
    said: () => chunks.join(''),
    factory: async (options = {}, more = {}) => {
      const usual = { settings: 'ramdisk.yaml', iso: ['live.iso'], ...options };
      const surroundings = { links, digests: knownDigests(new Map()), io };
      const factory = await openImageFactory(givenOptions(controllerOptions, usual), {
        ...surroundings,
        cacheSize: 1024 * 1024,
        ...more,
      });
      factories.push(factory);
      return factory;
    },
  };
}

export const imageOf = (
  fields: Parameters<typeof storedObject>[0] = {},
  more: Parameters<typeof storedObject>[1] = {},
): PreprovisioningImage => readPreprovisioningImage(storedObject(fields, more));

/** Of the namespace metal3. */
export const secretsOf =
  (secrets: Readonly<Record<string, Awaited<ReturnType<ReadSecret>>>>): ReadSecret =>
  async (key) =>
    secrets[keyText(key).replace('metal3/', '')];
