/**
 * A real Ironic boots the live system of the chain through a real Redfish service, and what the `deploy` commands print enrols,
 * inspects, cleans and deploys the machine. Each case starts from the state in which the one before has left the machine; together
 * they take half an hour without KVM.
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { runCli } from '../../support/runCli.ts';
import { type ServeProcess, startServe } from '../serve/startServe.js';
import { CREDENTIALS } from './ironic/machine.ts';
import { GATEWAY, GUEST } from './ironic/network.ts';
import { freePort } from '../../support/listening.ts';
import { makeDiskImage, missingForDisk, OPTIONS } from './ironic/diskImage.ts';
import {
  missingForIronic,
  type Node,
  type Progress,
  type RealIronic,
  startIronic,
} from './ironic/realIronic.ts';

/** What is used of the script, which is plain JavaScript. */
interface PartsModule {
  readonly parts: { readonly iso: string; readonly archive: string };
}
const { parts }: PartsModule = await import(new URL('parts.js', import.meta.url).href);

const variable = 'IRONIC_COREOS_CHAIN';
const reasons = [
  ...(process.env[variable] === '1' ? [] : [`${variable} is not 1`]),
  ...[...missingForIronic(), ...missingForDisk()].map((name) => `there is no ${name}`),
  ...[parts.iso, parts.archive].filter((file) => !existsSync(file)).map((file) => `there is no ${file}`),
];
const note = reasons.length === 0 ? '' : ` (skipped: ${reasons.join(', ')})`;

/** In minutes. A boot takes 4 minutes on idle processors, and several times as long on busy ones. */
const LONG = 30;
const SHORT = 3;

const installedConfig = {
  ignition: { version: '3.4.0' },
  storage: { files: [{ path: '/etc/installed', contents: { source: 'data:,yes' } }] },
};

interface Inventory {
  readonly inventory: {
    readonly interfaces: readonly { readonly mac_address: string; readonly ipv4_address: string | null }[];
    readonly disks: readonly { readonly name: string; readonly serial: string | null }[];
    readonly hostname: string;
  };
}

interface Outcome {
  readonly end: string | undefined;
  readonly steps: readonly string[];
  readonly error: string | null;
}

/** A node stays in the state, after these clean or deploy steps. */
const passed = (end: string, ...steps: string[]): Outcome => ({
  end,
  steps: expect.arrayContaining(steps),
  error: null,
});

describe.skipIf(reasons.length > 0)(`a real Ironic${note}`, { timeout: 2 * LONG * 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-'));
  const path = (...names: string[]): string => join(folder, ...names);
  let ironic: RealIronic;
  let serve: ServeProcess;
  const closers: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    for (const name of ['work', 'images', 'disk']) mkdirSync(path(name));
    makeDiskImage(path('images'), path('disk'));
    ironic = await startIronic({ work: path('work'), imageFolder: path('images') });
    closers.push(ironic.close);
    copyFileSync(parts.archive, path('agent.tar'));
    writeFileSync(path('installed.ign'), JSON.stringify(installedConfig));
    writeFileSync(path('hosts.json'), JSON.stringify(inventoryOf(ironic)));
    const input = ['--inventory', 'hosts.json', '--iso', parts.iso];
    serve = await startServe([...input, '--listen', '127.0.0.1:0', '--key-file', 'serve.key'], {
      cwd: folder,
    });
    closers.push(async () => {
      serve.signal('SIGTERM');
      await serve.ended;
    });
  }, 600_000);

  afterAll(async () => {
    for (const close of closers) await close();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  async function cli(...args: string[]): Promise<string> {
    const { code, stderr, stdout } = await runCli(args, { cwd: folder });
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  /** Prints the end of the console if the test fails. */
  async function outcome(progress: Promise<Progress>): Promise<Outcome> {
    onTestFailed(() => console.error(ironic.console().slice(-4000)));
    const { node, states, steps } = await progress;
    return { end: states.at(-1), steps: [...steps], error: node.last_error };
  }

  it('verifies the BMC of the node that deploy node creates', async () => {
    const iso = serve.url('worker-0', 'iso');
    await ironic.run(await cli('deploy', 'node', '--inventory', 'hosts.json', '--deploy-iso', iso), folder);
    expect(await outcome(ironic.provision('worker-0', 'manage', SHORT))).toEqual(passed('manageable'));
  });

  it('creates the same node from the JSON of deploy node, and the BMC refuses it without credentials', async () => {
    const host = ['--name', 'worker-1', '--boot-mac', '52:54:00:12:34:57', '--arch', 'x86_64'];
    const bmc = ['--bmc-address', ironic.bmcAddress, '--bmc-insecure', '--root-device', 'serial=s== CHAIN0'];
    writeFileSync(path('nodes.json'), await cli('deploy', 'node', ...host, ...bmc, '--format', 'json'));
    await ironic.run('baremetal create nodes.json', folder);
    const [first, second] = [
      await ironic.get<Node>('/v1/nodes/worker-0'),
      await ironic.get<Node>('/v1/nodes/worker-1'),
    ];
    const {
      deploy_iso: _iso,
      redfish_password: _password,
      redfish_username: _user,
      ...info
    } = first.driver_info;
    expect(second).toMatchObject({
      driver: first.driver,
      boot_interface: first.boot_interface,
      deploy_interface: first.deploy_interface,
    });
    expect(second.driver_info).toEqual(info);
    expect(first.properties).toMatchObject(second.properties);
    expect(await outcome(ironic.provision('worker-1', 'manage', SHORT))).toMatchObject({
      end: 'enroll',
      error: expect.stringMatching(/unauthorized|credential|401|AccessError/i),
    });
    await ironic.run('baremetal node delete worker-1');
  });

  it('inspects the machine with the agent in the ISO of serve', async () => {
    expect(await outcome(ironic.provision('worker-0', 'inspect', LONG))).toEqual(passed('manageable'));
    const { inventory } = await ironic.get<Inventory>('/v1/nodes/worker-0/inventory');
    expect(inventory.interfaces).toEqual([
      expect.objectContaining({ mac_address: ironic.mac, ipv4_address: GUEST }),
    ]);
    expect(inventory.disks).toEqual([expect.objectContaining({ name: '/dev/vda', serial: 'CHAIN0' })]);
    expect(inventory.hostname).toBe('worker-0');
  });

  it('boot changes the BMC as Ironic does, brings the agent home, and restores the machine', async () => {
    const ofIronic = ironic.changes();
    const { BMC_PASSWORD: password, BMC_USERNAME: username } = CREDENTIALS;
    writeFileSync(path('bmc.json'), JSON.stringify({ username, password }), { mode: 0o600 });
    const [api, images] = [await freePort(), await freePort()];
    const served = ['--serve-listen', `0.0.0.0:${images}`, '--public-url', `http://${GATEWAY}:${images}`];
    const addresses = ['--ironic-url', `http://${GATEWAY}:${api}`, '--listen', `0.0.0.0:${api}`, ...served];
    const input = ['--inventory', 'hosts.json', '--iso', parts.iso, '--credentials', 'bmc.json', '--yes'];
    const report = await cli('boot', 'worker-0', ...input, ...addresses, '--shutdown-timeout', '20s');
    expect(report).toMatch(/^worker-0: called home/);
    expect(report).toContain('ejected the ISO');
    const ofBoot = ironic.changes().slice(ofIronic.length);
    expect(bootOf(ofBoot)).toEqual(bootOf(ofIronic));
    expect(bootOf(ofBoot)).toEqual(['InsertMedia', 'PATCH', 'Reset']);
  });

  it('cleans the disk with the agent', async () => {
    const cleaning = ironic.provision('worker-0', 'provide', LONG);
    expect(await outcome(cleaning)).toEqual(passed('available', 'erase_devices_metadata'));
  });

  it('installs a disk image with install_coreos, as deploy steps prints it', async () => {
    const { length } = ironic.console();
    const source = `${ironic.imagesUrl}/disk.raw.xz`;
    const install = [
      '--ignition',
      'installed.ign',
      '--append-karg',
      'test.installed=yes',
      '--image-source',
      source,
    ];
    const output = ['--format', 'command', '--node', 'worker-0', '--config-drive', 'drive.json'];
    await ironic.run(await cli('deploy', 'steps', ...install, ...output), folder);
    expect(await outcome(ironic.follow('worker-0', LONG))).toEqual(passed('active', 'install_coreos'));
    const printed = await ironic.untilPrinted('DISK-END', LONG, length);
    expect(printed).toContain(`DISK-OPTIONS ${OPTIONS} test.installed=yes`);
    const [, config = ''] = /DISK-IGNITION (.*)/.exec(printed) ?? [];
    const hostname = {
      path: '/etc/hostname',
      mode: 0o644,
      overwrite: true,
      contents: { source: 'data:,worker-0' },
    };
    const files = [...installedConfig.storage.files, hostname];
    expect(JSON.parse(config)).toEqual({ ...installedConfig, storage: { files } });
  });

  it('writes the disk image with the deploy interface direct', async () => {
    await ironic.run('baremetal node set worker-0 --no-automated-clean');
    expect(await outcome(ironic.provision('worker-0', 'deleted', LONG))).toEqual(passed('available'));
    const { length } = ironic.console();
    const checksum = (await ironic.run(`sha256sum disk.qcow2 | cut -d' ' -f1`, path('images'))).trim();
    const image = [
      `image_source=${ironic.imagesUrl}/disk.qcow2`,
      `image_os_hash_algo=sha256`,
      `image_os_hash_value=${checksum}`,
    ];
    await ironic.run(`
baremetal node set worker-0 --deploy-interface direct ${image.map((field) => `--instance-info ${field}`).join(' ')}
baremetal node deploy worker-0`);
    expect(await outcome(ironic.follow('worker-0', LONG))).toEqual(passed('active', 'write_image'));
    const printed = await ironic.untilPrinted('DISK-END', LONG, length);
    expect(printed).toContain(`DISK-OPTIONS ${OPTIONS}\r\nDISK-IGNITION none`);
  });

  it('boots kernel, initramfs and rootfs of prepare from an ISO of its own', async () => {
    expect(await outcome(ironic.provision('worker-0', 'deleted', LONG))).toEqual(passed('available'));
    expect(await outcome(ironic.provision('worker-0', 'manage', SHORT))).toEqual(passed('manageable'));
    const boot = `${ironic.imagesUrl}/boot`;
    const input = ['--inventory', 'hosts.json', '--iso', parts.iso];
    await cli('prepare', ...input, '--base-url', boot, '-o', 'images/boot', '--artifacts', 'initramfs,ipxe');
    const script = readFileSync(path('images/boot/ipxe/worker-0.ipxe'), 'utf8');
    const [images = ''] = /images\/[^/]*\/ironic-python-agent\.rootfs/.exec(script) ?? [];
    const pair = {
      '--deploy-kernel': `${ironic.imagesUrl}/boot/${images.replace('.rootfs', '.kernel')}`,
      '--deploy-ramdisk': `${ironic.imagesUrl}/boot/hosts/worker-0/initramfs.img`,
      '--kernel-append-params': (
        await cli('pxe', 'kargs', '--embedded', '--rootfs-url', `${boot}/${images}`, '--console', 'ttyS0')
      ).trim(),
    };
    const set = ['--inventory', 'hosts.json', '--set', ...Object.entries(pair).flat()];
    await ironic.run(await cli('deploy', 'node', ...set), folder);
    const { length } = ironic.console();
    expect(await outcome(ironic.provision('worker-0', 'inspect', LONG))).toEqual(passed('manageable'));
    expect(ironic.console().slice(length)).toContain(`coreos.live.rootfs_url=${boot}/${images}`);
  });
});

/** The changes from the insertion of the ISO to the next change of the power state. */
function bootOf(changes: readonly string[]): readonly string[] {
  const from = changes.indexOf('InsertMedia');
  return changes.slice(from, changes.indexOf('Reset', from) + 1);
}

function inventoryOf({ bmcAddress, guestApiUrl, mac }: RealIronic): object {
  return {
    agent: { 'ironic.apiUrls': guestApiUrl, 'agent.archive': 'agent.tar' },
    deploy: { bmcAddress, bmcInsecure: true, rootDeviceHints: { serialNumber: 'CHAIN0' } },
    hosts: [{ name: 'worker-0', mac, architecture: 'x86_64' }],
  };
}
