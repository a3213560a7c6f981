/**
 * A real Ironic boots the live system of the chain through a real Redfish service, and what the `deploy` commands print enrols,
 * inspects, cleans and deploys the machine: first a conductor with its own defaults, then with the lines for ironic.conf of
 * docs/deploy.md. Each part enrols a node of its own; in a part, each case starts from the state in which the one before has
 * left the machine. Together they take three quarters of an hour without KVM.
 */

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { fileOfPage } from '../../support/docs/markdown.ts';
import { runCli } from '../../support/runCli.ts';
import { type ServeProcess, startServe } from '../serve/startServe.js';
import { CREDENTIALS } from './ironic/machine.ts';
import { GATEWAY, GUEST } from './ironic/network.ts';
import { createCertificates, valid } from './certificates.ts';
import { startRegistry } from './registry.ts';
import { freePort } from '../../support/listening.ts';
import { makeDiskImage, OPTIONS } from './ironic/diskImage.ts';
import { type Node, type Progress, type RealIronic, startIronic } from './ironic/realIronic.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { parts } from './parts.js';

/** Otherwise, the agent that is already there would do what is next. */
const POWER_OFF = 'baremetal node power off worker-0 --power-timeout 60';

/** In minutes. A boot takes 4 minutes on idle processors, and several times as long on busy ones. */
const LONG = 30;
const SHORT = 3;

const installedConfig = {
  ignition: { version: '3.4.0' },
  storage: { files: [{ path: '/etc/installed', contents: { source: 'data:,yes' } }] },
};

/** What assisted-service serves, as far as it matters here: its agent says on the console whether systemd has started it, and ends. */
const assistedScript =
  'echo ASSISTED $(systemctl is-active agent.service) > /dev/ttyS0; sleep 40; echo ASSISTED ends > /dev/ttyS0';
const discoveryConfig = {
  ignition: { version: '3.1.0' },
  systemd: {
    units: [
      {
        name: 'agent.service',
        enabled: true,
        contents: `[Service]\nExecStart=/bin/sh -c '${assistedScript}'\n[Install]\nWantedBy=multi-user.target\n`,
      },
    ],
  },
};

/** What redfish nodes may have, where Ironic enables it. */
const interfaces = {
  deploy: ['autodetect', 'direct', 'ramdisk', 'bootc', 'custom-agent'],
  inspect: ['no-inspect', 'redfish', 'agent'],
  boot: ['ipxe', 'pxe', 'redfish-virtual-media', 'redfish-https', 'http-ipxe', 'http'],
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

describe.skipIf(!have('chain with Ironic'))(
  `a real Ironic${oracleNote('chain with Ironic')}`,
  { timeout: 2 * LONG * 60_000 },
  () => {
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
      writeFileSync(path('ca.pem'), ironic.authority);
      writeFileSync(path('hosts.json'), JSON.stringify(inventoryOf(ironic, 'ca.pem')));
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
    });

    async function cli(...args: string[]): Promise<string> {
      const { code, stderr, stdout } = await runCli(args, { cwd: folder });
      if (code !== 0) throw new Error(stderr);
      return stdout;
    }

    const checksumOf = async (name: string): Promise<string> =>
      (await ironic.run(`sha256sum ${name} | cut -d' ' -f1`, path('images'))).trim();

    /** Sets the parts of `prepare` on the node, with an authority for the TLS of Ironic. Returns the URL of the root filesystem. */
    async function preparePair(name: string, authority: string): Promise<string> {
      writeFileSync(path(`${name}.pem`), authority);
      writeFileSync(path(`${name}.json`), JSON.stringify(inventoryOf(ironic, `${name}.pem`)));
      const boot = `${ironic.imagesUrl}/${name}`;
      const input = ['--inventory', `${name}.json`, '--iso', parts.iso];
      const output = ['-o', `images/${name}`, '--artifacts', 'initramfs,ipxe'];
      await cli('prepare', ...input, '--base-url', boot, ...output);
      const script = readFileSync(path(`images/${name}/ipxe/worker-0.ipxe`), 'utf8');
      const [images = ''] = /images\/[^/]*\/ironic-python-agent\.rootfs/.exec(script) ?? [];
      const [initramfs = ''] = /hosts\/worker-0\/[0-9a-f]+\/initramfs\.img/.exec(script) ?? [];
      const kargs = await cli(
        'pxe',
        'kargs',
        '--embedded',
        '--rootfs-url',
        `${boot}/${images}`,
        '--console',
        'ttyS0',
      );
      const pair = {
        '--deploy-kernel': `${boot}/${images.replace('.rootfs', '.kernel')}`,
        '--deploy-ramdisk': `${boot}/${initramfs}`,
        '--kernel-append-params': `%default% ${kargs.trim()}`,
      };
      const set = ['--inventory', `${name}.json`, '--set', ...Object.entries(pair).flat()];
      await ironic.run(await cli('deploy', 'node', ...set), folder);
      return `${boot}/${images}`;
    }

    /** Makes a node for the machine, in the place of an earlier one. */
    async function enrol(...options: string[]): Promise<void> {
      const remove = 'baremetal node maintenance set worker-0; baremetal node delete worker-0';
      await ironic.run(`if baremetal node show worker-0 > /dev/null 2>&1; then ${remove}; fi`);
      const args = ['--inventory', 'hosts.json', '--deploy-iso', serve.url('worker-0', 'iso'), ...options];
      await ironic.run(await cli('deploy', 'node', ...args), folder);
      const { node, states } = await ironic.provision('worker-0', 'manage', SHORT);
      if (states.at(-1) !== 'manageable') throw new Error(`the node is not verified: ${node.last_error}`);
    }

    /** Prints the end of the console if the test fails. */
    async function outcome(progress: Promise<Progress>): Promise<Outcome> {
      onTestFailed(() => console.error(ironic.console().slice(-4000)));
      const { node, states, steps } = await progress;
      return { end: states.at(-1), steps: [...steps], error: node.last_error };
    }

    describe('with the defaults of its conductor', () => {
      it('takes the node that deploy node prints, and verifies its BMC', async () => {
        await enrol();
        expect(await ironic.get<Node>('/v1/nodes/worker-0')).toMatchObject({
          boot_interface: 'redfish-virtual-media',
          deploy_interface: 'autodetect',
          inspect_interface: 'redfish',
        });
      });

      it('creates the same node from the JSON of deploy node, and the BMC refuses it without credentials', async () => {
        const host = ['--name', 'worker-1', '--boot-mac', '52:54:00:12:34:57', '--arch', 'x86_64'];
        const bmc = [
          '--bmc-address',
          ironic.bmcAddress,
          '--bmc-insecure',
          '--root-device',
          'serial=s== CHAIN0',
        ];
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
      });

      it('takes each interface that it enables, and refuses those for which a message names the line of ironic.conf', async () => {
        const taken: string[] = [];
        const refused: Record<string, string> = {};
        for (const kind of ['deploy', 'inspect', 'boot'] as const) {
          for (const name of interfaces[kind]) {
            const args = ['deploy', 'node', '--set', '--name', 'worker-1', `--${kind}-interface`, name];
            const { stderr, stdout } = await runCli(args, { cwd: folder });
            const [, option = ''] = /ironic\.conf, unless it is there: (\w+) = /.exec(stderr) ?? [];
            const answer = await ironic.run(stdout).catch(String);
            if (answer === '') taken.push(name);
            if (/could not find the following interface/i.test(answer)) refused[name] = option;
          }
        }
        expect(taken).toEqual(
          'autodetect direct ramdisk bootc no-inspect redfish ipxe pxe redfish-virtual-media'.split(' '),
        );
        expect(refused).toEqual({
          'custom-agent': 'enabled_deploy_interfaces',
          agent: 'enabled_inspect_interfaces',
          'redfish-https': 'enabled_boot_interfaces',
          'http-ipxe': 'enabled_boot_interfaces',
          http: 'enabled_boot_interfaces',
        });
      });

      it('inspects the machine by its BMC, without a ramdisk', async () => {
        await ironic.run('baremetal node delete worker-1');
        const { length } = ironic.console();
        expect(await outcome(ironic.provision('worker-0', 'inspect', SHORT))).toEqual(passed('manageable'));
        const { inventory } = await ironic.get<Inventory>('/v1/nodes/worker-0/inventory');
        expect(inventory.interfaces).toEqual([expect.objectContaining({ mac_address: ironic.mac })]);
        expect(ironic.console().slice(length)).not.toContain('ironic-agent');
      });

      it('cleans the disk with the agent in the ISO of serve', async () => {
        const cleaning = ironic.provision('worker-0', 'provide', LONG);
        expect(await outcome(cleaning)).toEqual(passed('available', 'erase_devices_metadata'));
      });

      it('installs a disk image with install_coreos, as deploy steps prints it', async () => {
        const { length } = ironic.console();
        const image = ['--image-source', `${ironic.imagesUrl}/disk.raw.xz`];
        const checksum = ['--image-checksum', await checksumOf('disk.raw.xz')];
        const install = ['--ignition', 'installed.ign', '--append-karg', 'test.installed=yes'];
        const output = ['--format', 'command', '--node', 'worker-0', '--config-drive', 'drive.json'];
        await ironic.run(await cli('deploy', 'steps', ...install, ...image, ...checksum, ...output), folder);
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

      it('writes the disk image that deploy node names', async () => {
        await ironic.run('baremetal node set worker-0 --no-automated-clean');
        expect(await outcome(ironic.provision('worker-0', 'deleted', LONG))).toEqual(passed('available'));
        const { length } = ironic.console();
        const image = ['--image-source', `${ironic.imagesUrl}/disk.qcow2`, '--image-format', 'qcow2'];
        const checksum = ['--image-checksum', await checksumOf('disk.qcow2')];
        const set = ['deploy', 'node', '--set', '--name', 'worker-0', ...image, ...checksum];
        await ironic.run(`${await cli(...set)}baremetal node deploy worker-0`, folder);
        expect(await outcome(ironic.follow('worker-0', LONG))).toEqual(passed('active', 'write_image'));
        const printed = await ironic.untilPrinted('DISK-END', LONG, length);
        expect(printed).toContain(`DISK-OPTIONS ${OPTIONS}\r\nDISK-IGNITION none`);
      });
    });

    describe('with the lines of docs/deploy.md', () => {
      beforeAll(async () => {
        await ironic.configure(fileOfPage('docs/deploy.md', 'coreos.conf'));
        await enrol('--deploy-interface', 'custom-agent', '--inspect-interface', 'agent');
      }, SHORT * 60_000);

      it('has a node with the interfaces that they enable', async () => {
        expect(await ironic.get<Node>('/v1/nodes/worker-0')).toMatchObject({
          deploy_interface: 'custom-agent',
          inspect_interface: 'agent',
        });
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
        const addresses = [
          '--ironic-url',
          `http://${GATEWAY}:${api}`,
          '--listen',
          `0.0.0.0:${api}`,
          ...served,
        ];
        const input = ['--inventory', 'hosts.json', '--iso', parts.iso, '--credentials', 'bmc.json', '--yes'];
        const options = ['--shutdown-timeout', '20s', '--format', 'json'];
        const report = await cli('boot', 'worker-0', ...input, ...addresses, ...options);
        expect(JSON.parse(report).calledHome).toEqual(['worker-0']);
        expect(report).toContain('ejected the ISO');
        const ofBoot = ironic.changes().slice(ofIronic.length);
        expect(bootOf(ofBoot)).toEqual(bootOf(ofIronic));
        expect(bootOf(ofBoot)).toEqual(['InsertMedia', 'PATCH', 'Reset']);
      });

      it('runs start_assisted_install, which starts the agent of assisted-service and waits for it', async () => {
        const registryPort = await freePort();
        const registry = await startRegistry({ layout: parts.oci, port: registryPort });
        closers.push(() => Promise.resolve(registry.close()));
        writeFileSync(path('discovery.ign'), JSON.stringify(discoveryConfig));
        const assisted = [
          '--profile',
          'assisted',
          '--discovery',
          'discovery.ign',
          '--api-url',
          ironic.guestApiUrl,
        ];
        const image = ['--agent-image', `${GATEWAY}:${registryPort}/ironic-agent`];
        await cli('render', ...assisted, ...image, '-o', 'assisted.ign');
        await cli('iso', 'ignition', 'embed', '-i', 'assisted.ign', '-o', 'images/assisted.iso', parts.iso);
        const iso = ['--deploy-iso', `${ironic.imagesUrl}/assisted.iso`];
        const set = await cli('deploy', 'node', '--set', '--name', 'worker-0', ...iso);
        await ironic.run(`${set}baremetal node set worker-0 --no-automated-clean\n${POWER_OFF}`, folder);
        expect(await outcome(ironic.provision('worker-0', 'provide', LONG))).toEqual(passed('available'));
        const { length } = ironic.console();
        const steps = ['--step', 'start_assisted_install', '--format', 'command', '--node', 'worker-0'];
        await ironic.run(await cli('deploy', 'steps', ...steps), folder);
        const following = ironic.follow('worker-0', LONG);
        const ended = following.then(({ node }) => `${node.provision_state}: ${node.last_error}`);
        const printed = await Promise.race([ironic.untilPrinted('ASSISTED', LONG, length), ended]);
        expect(printed).toContain('ASSISTED active');
        const during = await ironic.get<Node>('/v1/nodes/worker-0');
        expect(during.deploy_step).toMatchObject({ step: 'start_assisted_install' });
        expect(during.provision_state).toMatch(/^(?:deploying|wait call-back)$/);
        expect(await outcome(following)).toEqual(passed('active', 'start_assisted_install'));
        expect(
          ironic
            .console()
            .slice(length)
            .match(/ASSISTED/g),
        ).toHaveLength(2);
        expect(ironic.console().slice(length)).toContain('ASSISTED ends');
      });
    });

    describe('with ipa-insecure=1 on the kernel command line', () => {
      /** How long the agent takes from the request until its lookup, in minutes. */
      let usual = LONG;

      beforeAll(async () => {
        await ironic.configure(fileOfPage('docs/deploy.md', 'coreos.conf'));
        await enrol('--inspect-interface', 'agent');
      }, SHORT * 60_000);

      it('boots kernel, initramfs and rootfs of prepare from an ISO of its own, and the agent trusts the authority', async () => {
        const rootfs = await preparePair('right', ironic.authority);
        const { length } = ironic.console();
        const before = ironic.front.requests.length;
        const begin = performance.now();
        const inspecting = ironic.provision('worker-0', 'inspect', LONG);
        await expect
          .poll(() => ironic.front.requests.slice(before), { timeout: LONG * 60_000, interval: 500 })
          .toContain('GET /v1/lookup');
        usual = (performance.now() - begin) / 60_000;
        expect(await outcome(inspecting)).toEqual(passed('manageable'));
        const printed = ironic.console().slice(length);
        expect(printed).toContain(`coreos.live.rootfs_url=${rootfs}`);
        expect(printed).toContain('ipa-insecure=1');
      });

      it('does not call home where it does not trust the authority', async () => {
        await preparePair('wrong', createCertificates(GATEWAY, valid).authority);
        await ironic.run(POWER_OFF);
        const { length } = ironic.console();
        const [requests, refusals] = [ironic.front.requests.length, ironic.front.refusals.length];
        const begin = performance.now();
        await ironic.run('baremetal node inspect worker-0');
        const printed = await ironic.untilPrinted('CERTIFICATE_VERIFY_FAILED', LONG, length);
        expect(printed).toContain('ipa-insecure=1');
        await sleep(Math.max(0, begin + usual * 1.5 * 60_000 - performance.now()));
        expect(ironic.front.requests.slice(requests)).toEqual([]);
        expect(ironic.front.refusals.slice(refusals)).toContainEqual(
          expect.stringMatching(/alert (?:unknown ca|decrypt error)/),
        );
        expect(await ironic.get<Node>('/v1/nodes/worker-0')).toMatchObject({
          provision_state: 'inspect wait',
        });
      });
    });
  },
);

/**
 * The insertion of the ISO, and the next two changes that start the machine. `boot` turns a running machine off between them, after
 * its BMC has accepted the ISO.
 */
function bootOf(changes: readonly string[]): readonly string[] {
  const inserted = changes.indexOf('InsertMedia');
  const override = changes.indexOf('PATCH', inserted);
  return [...changes.slice(inserted, inserted + 1), ...changes.slice(override, override + 2)];
}

function inventoryOf({ bmcAddress, guestApiUrl, mac }: RealIronic, caFile: string): object {
  return {
    agent: { 'ironic.apiUrls': guestApiUrl, 'ironic.caFiles': [caFile], 'agent.archive': 'agent.tar' },
    deploy: { bmcAddress, bmcInsecure: true, rootDeviceHints: { serialNumber: 'CHAIN0' } },
    hosts: [{ name: 'worker-0', mac, architecture: 'x86_64' }],
  };
}
