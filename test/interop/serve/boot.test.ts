/**
 * Machines that boot from `serve` while others download: their ISO by the HTTP driver of QEMU, as a BMC mounts it, and over
 * the network with iPXE. The system says which config has arrived. Minutes of the processor, so only those who ask get it.
 */

import { imageEnv } from '../../support/agentImage.ts';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServeProcess, startServe } from './startServe.js';
import { freePort } from '../../support/listening.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { makeBootIso } from '../boot/bootIso.js';

/** Milliseconds until a machine has to have said everything. */
const PATIENCE = 240_000;

const folder = mkdtempSync(join(tmpdir(), 'serve-boot-'));
const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1
  boot.kernelArguments: [console=ttyS0]
hosts:
- {name: worker-0, mac: '52:54:00:12:34:56', overrides: {host.hostname: zero}}
- {name: worker-1, mac: '52:54:00:12:34:57', overrides: {host.hostname: one, boot.ipaParameters: [debug=1]}}
`;

let service: ServeProcess;
let others: AbortController;

describe.skipIf(!have('boots'))(`a machine boots from serve${oracleNote('boots')}`, () => {
  beforeAll(async () => {
    makeBootIso(join(folder, 'live.iso'), folder);
    writeFileSync(join(folder, 'inv.yaml'), inventory);
    const port = await freePort();
    const address = ['--listen', `127.0.0.1:${port}`, '--public-url', `http://10.0.2.2:${port}`];
    service = await startServe(['--inventory', 'inv.yaml', '--iso', 'live.iso', ...address], {
      cwd: folder,
      env: imageEnv,
    });
    others = downloadAgainAndAgain(fromHere(service.url('worker-1', 'iso')));
  });
  afterAll(async () => {
    others.abort();
    service.signal('SIGKILL');
    await service.ended;
  });

  it.each([
    ['its ISO as a CD, BIOS', (url: string) => ['-cdrom', url, '-boot', 'd']],
    [
      'its ISO as a CD, UEFI',
      (url: string) => ['-bios', '/usr/share/ovmf/OVMF.fd', '-cdrom', url, '-boot', 'd'],
    ],
    ['its ISO as a drive', (url: string) => ['-drive', `file=${url},format=raw,media=cdrom,readonly=on`]],
  ])('%s', async (_title, medium) => {
    const lines = await boot(['-net', 'none', ...medium(fromHere(service.url('worker-0', 'iso')))]);
    expect(lines).toContainEqual(expect.stringContaining(await configDigest('worker-0')));
  });

  it.each([
    ['worker-0', '52:54:00:12:34:56'],
    ['worker-1', '52:54:00:12:34:57'],
  ])('over the network, as %s', async (host, mac) => {
    const network = ['-netdev', `user,id=net,bootfile=${service.boot['ipxe'] ?? ''}`];
    const lines = await boot([...network, '-device', `virtio-net-pci,netdev=net,mac=${mac}`, '-boot', 'n']);
    expect(lines).toContainEqual(expect.stringContaining(await configDigest(host)));
  });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The URL is one for machines, which know this one under another address. */
function fromHere(url: string): string {
  return url.replace('http://10.0.2.2:', 'http://127.0.0.1:');
}

function downloadAgainAndAgain(url: string): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const download = async (): Promise<void> => {
    while (!signal.aborted) await (await fetch(url, { signal })).arrayBuffer();
  };
  for (let count = 0; count < 2; count++) download().catch(() => undefined);
  return controller;
}

async function configDigest(host: string): Promise<string> {
  const response = await fetch(fromHere(service.url(host, 'ign')));
  return createHash('sha256')
    .update(await response.text())
    .digest('hex');
}

/** What the init of the system said, or the end of everything where it said nothing. */
function boot(args: readonly string[]): Promise<string[]> {
  const usual = '-m 1024 -nographic -no-reboot'.split(' ');
  const machine = spawn('qemu-system-x86_64', [...usual, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  });
  let text = '';
  machine.stdout.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  return new Promise((resolve, reject) => {
    machine.on('error', reject);
    machine.on('close', () => {
      const lines = text.split(/[\r\n]+/).flatMap((line) => /BOOT-.*/.exec(line)?.[0] ?? []);
      resolve(lines.length > 0 ? lines : [text.slice(-2000)]);
    });
  });
}
