/**
 * A machine in QEMU that libvirt runs, and that sushy-tools offers as a BMC with Redfish: over TLS, with a user and a password.
 * libvirtd has mounts and processes of its own, so that no file and no process of this machine's libvirt is touched.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Program, startProgram } from './programs.ts';
import { writeTemplate } from './templates.ts';
import { GUEST, NETWORK } from './network.ts';

export const SYSTEM = '11111111-2222-3333-4444-555555555555';
export const MAC = '52:54:00:12:34:56';
export const CREDENTIALS = { BMC_USERNAME: 'operator', BMC_PASSWORD: 'secret of the BMC' };
const DISK_SIZE = '4G';

const tls = resolve(import.meta.dirname, '../../../support/tls');

export interface Machine {
  /** Everything that the serial console has printed, in all boots. */
  readonly console: () => string;
  /** The changes that the BMC has accepted, in order: `PATCH`, or the name of an action such as `InsertMedia`. */
  readonly changes: () => readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Starts libvirt and the BMC. The machine is off, and its disk is empty.
 * @param work empty folder; its path must be short, as it contains sockets
 * @param venv Python environment with sushy-tools and libvirt-python
 */
export async function startMachine(work: string, venv: string, bmcPort: number): Promise<Machine> {
  const programs: Program[] = [];
  const close = async (): Promise<void> => {
    for (const program of programs.toReversed()) await program.stop();
  };
  try {
    for (const name of ['media', 'tmp', 'libvirt/etc']) mkdirSync(join(work, name), { recursive: true });
    for (const name of ['qemu.conf', 'libvirtd.conf']) writeTemplate(name, join(work, 'libvirt/etc'));
    const uri = await startLibvirt(work, programs);
    defineMachine(work, uri);
    await startBmc({ work, venv, bmcPort, uri }, programs);
  } catch (error) {
    await close();
    throw error;
  }
  const consoleFile = join(work, 'console.log');
  return {
    console: () => (existsSync(consoleFile) ? readFileSync(consoleFile, 'latin1') : ''),
    changes: () => readChanges(readFileSync(join(work, BMC_LOG), 'utf8')),
    close,
  };
}

const BMC_LOG = 'bmc.log';

/** Lines such as `"POST /redfish/v1/…/VirtualMedia.InsertMedia HTTP/1.1" 204`, with escape sequences for colours. */
function readChanges(log: string): string[] {
  const requests = log.matchAll(/(PATCH|POST) (\S+) HTTP\/1\.1\S*" 2\d\d/g);
  return [...requests].flatMap(([, method = '', path = '']) => {
    if (path.includes('/Sessions')) return [];
    return [method === 'PATCH' ? method : (path.split('.').at(-1) ?? path)];
  });
}

async function startLibvirt(work: string, programs: Program[]): Promise<string> {
  const script = join(import.meta.dirname, 'libvirtd.sh');
  const isolated = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', script, work];
  const libvirt = startProgram(['unshare', ...isolated], join(work, 'libvirtd.log'));
  programs.push(libvirt);
  const uri = `qemu+unix:///system?socket=${encodeURI(join(work, 'libvirt/run/libvirt-sock'))}`;
  await libvirt.until(() => Promise.resolve(spawnSync('virsh', ['-c', uri, 'uri']).status === 0));
  return uri;
}

function defineMachine(work: string, uri: string): void {
  const virsh = (...args: string[]): void =>
    void execFileSync('virsh', ['-q', '-c', uri, ...args], { stdio: 'pipe' });
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', join(work, 'disk.qcow2'), DISK_SIZE]);
  virsh('pool-define', writeTemplate('pool.xml', work, { WORK: work }));
  virsh('pool-start', 'default');
  virsh('define', writeTemplate('domain.xml', work, { WORK: work, SYSTEM, NETWORK, GUEST, MAC }));
}

interface BmcSettings {
  readonly work: string;
  readonly venv: string;
  readonly bmcPort: number;
  readonly uri: string;
}

async function startBmc({ work, venv, bmcPort, uri }: BmcSettings, programs: Program[]): Promise<void> {
  const { BMC_PASSWORD: password, BMC_USERNAME: user } = CREDENTIALS;
  const hash =
    'import bcrypt, sys; print(bcrypt.hashpw(sys.stdin.buffer.read(), bcrypt.gensalt(4)).decode())';
  const hashed = execFileSync(join(venv, 'bin/python3'), ['-c', hash], { input: password, encoding: 'utf8' });
  writeFileSync(join(work, 'htpasswd'), `${user}:${hashed}`);
  const files = { CERTIFICATE: join(tls, 'server.pem'), KEY: join(tls, 'server-key.pem') };
  const settings = writeTemplate('sushy.conf', work, {
    ...files,
    WORK: work,
    BMC_PORT: bmcPort,
    SYSTEM,
    LIBVIRT: uri,
  });
  const output = join(work, BMC_LOG);
  const env = { ...process.env, TMPDIR: join(work, 'tmp') };
  const bmc = startProgram([join(venv, 'bin/sushy-emulator'), '--config', settings], output, env);
  programs.push(bmc);
  await bmc.until(() => Promise.resolve(readFileSync(output, 'utf8').includes('Running on')));
}
