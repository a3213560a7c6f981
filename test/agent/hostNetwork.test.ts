/** The keyfiles of a config that the initramfs gets. */

import { describe, expect, it } from 'vitest';
import { readKeyfiles } from '../../src/agent/hostNetwork.ts';
import { KEYFILE_FOLDER } from '../../src/agent/files.ts';

const keyfile = (id: string) => ({
  path: `${KEYFILE_FOLDER}/${id}.nmconnection`,
  contents: { source: `data:,%5Bconnection%5D%0Aid%3D${id}%0Atype%3Dethernet%0A` },
});

describe('the initramfs gets', () => {
  it.each<readonly [title: string, name: string, expected: readonly string[]]>([
    ['a keyfile', 'eth0.nmconnection', ['eth0.nmconnection']],
    ['a keyfile without the suffix, with it', 'eth0', ['eth0.nmconnection']],
    ['a name with a short suffix', 'eth0.100', ['eth0.100.nmconnection']],
    ['a swap file with a name that NetworkManager loads', 'eth0.swp', ['eth0.swp.nmconnection']],
    ['no backup of the length of a temporary file', 'eth0.backup', []],
    ['no temporary file', 'eth0.nmconnection.X7Bw2Q', []],
    ['no metadata', '5c1ee6b6-3b0a-4a4c-8d5a-0d4fb0b1b5a1.nmmeta', []],
    ['no backup of an editor', 'eth0.nmconnection~', []],
    ['no hidden file', '.eth0.nmconnection', []],
    ['no certificate', 'switch.PEM', []],
    ['no key', 'switch.der', []],
    ['no file of a folder below', 'old/eth0.nmconnection', []],
  ])('%s', (_title, name, expected) => {
    const source = 'data:,%5Bconnection%5D%0Aid%3Da%0Atype%3Dethernet%0A';
    const file = { path: `${KEYFILE_FOLDER}/${name}`, mode: 0o600, contents: { source } };
    const config = { ignition: { version: '3.4.0' }, storage: { files: [file] } };
    expect(readKeyfiles(Buffer.from(JSON.stringify(config))).map((found) => found.name)).toEqual(expected);
  });

  it('the keyfiles of inlined configs, each path once', () => {
    const inlined = {
      ignition: { version: '3.1.0' },
      storage: { files: [keyfile('eth0'), keyfile('eth1')] },
    };
    const source = `data:;base64,${Buffer.from(JSON.stringify(inlined)).toString('base64')}`;
    const config = {
      ignition: { version: '3.4.0', config: { merge: [{ source }] } },
      storage: { files: [{ ...keyfile('eth0'), overwrite: true }] },
    };
    const names = readKeyfiles(Buffer.from(JSON.stringify(config))).map((found) => found.name);
    expect(names).toEqual(['eth0.nmconnection', 'eth1.nmconnection']);
  });
});
