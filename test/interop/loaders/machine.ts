/** A machine in QEMU, under software emulation, that boots from its network and says on its console what it got. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BootNetwork } from './bootNetwork.ts';
import { startPlainFirmware } from './plainFirmware.ts';

/** Which firmware asks the network, and with what: of `bios-ipxe` the network card brings iPXE along, `bios` does not say so. */
export type Firmware =
  | 'bios'
  | 'bios-ipxe'
  | 'uefi'
  | 'uefi-ipv6'
  | 'uefi-http'
  | 'uefi-secure'
  | 'uefi-http-secure'
  | 'uefi-secure-microsoft'
  | 'aarch64';

const uefi = ['qemu-system-x86_64', '-bios', '/usr/share/ovmf/OVMF.fd', '-device', 'virtio-net-pci,romfile='];
/** With Secure Boot on. `snakeoil` is the key that Debian publishes for tests, `ms` are those of Microsoft and of hardware vendors. */
function secure(keys: 'snakeoil' | 'ms'): string[] {
  return [
    ...'qemu-system-x86_64 -machine q35,smm=on -global driver=cfi.pflash01,property=secure,value=on'.split(
      ' ',
    ),
    ...'-drive if=pflash,format=raw,unit=0,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd'.split(
      ' ',
    ),
    ...`-drive if=pflash,format=raw,unit=1,snapshot=on,file=/usr/share/OVMF/OVMF_VARS_4M.${keys}.fd`.split(
      ' ',
    ),
    ...'-device virtio-net-pci,romfile='.split(' '),
  ];
}

const programs: Readonly<Record<Firmware, readonly string[]>> = {
  bios: ['qemu-system-x86_64', '-device', 'virtio-net-pci'],
  'bios-ipxe': ['qemu-system-x86_64', '-device', 'virtio-net-pci'],
  uefi,
  'uefi-ipv6': [...uefi, ...withoutPxe(4)],
  // Without this it asks for PXE first, and takes minutes until it has given up.
  'uefi-http': [...uefi, ...withoutPxe(4), ...withoutPxe(6)],
  'uefi-secure': secure('snakeoil'),
  'uefi-http-secure': [...secure('snakeoil'), ...withoutPxe(4), ...withoutPxe(6)],
  'uefi-secure-microsoft': secure('ms'),
  aarch64: [
    ...'qemu-system-aarch64 -machine virt -cpu cortex-a57'.split(' '),
    ...'-bios /usr/share/qemu-efi-aarch64/QEMU_EFI.fd -device virtio-net-pci,romfile='.split(' '),
  ],
};

function withoutPxe(version: 4 | 6): string[] {
  return ['-fw_cfg', `name=opt/org.tianocore/IPv${version}PXESupport,string=no`];
}

const SECONDS = 240;

/**
 * The lines of the init; where it has said nothing, the end of what was on the console.
 * @param until stops the machine when its console shows this
 */
export async function bootMachine(
  network: BootNetwork,
  firmware: Firmware,
  mac: string,
  until?: RegExp,
): Promise<string[]> {
  if (firmware !== 'bios') return runMachine(network, { firmware, mac, until, args: [] });
  const folder = mkdtempSync(join(tmpdir(), 'firmware-'));
  const { args, close } = await startPlainFirmware(folder);
  try {
    return await runMachine(network, { firmware, mac, until, args });
  } finally {
    close();
    rmSync(folder, { recursive: true });
  }
}

interface Machine {
  readonly firmware: Firmware;
  readonly mac: string;
  readonly until: RegExp | undefined;
  readonly args: readonly string[];
}

function runMachine(
  network: BootNetwork,
  { args: others, firmware, mac, until }: Machine,
): Promise<string[]> {
  const [program = '', ...args] = programs[firmware];
  const machine = args.map((arg) =>
    arg.startsWith('virtio-net') ? `${arg},netdev=net,mac=${mac},bootindex=0` : arg,
  );
  const common = `-m 1024 -nographic -no-reboot -netdev ${network.netdev},id=net`.split(' ');
  const [command = '', ...rest] = network.inside(program, ...common, ...machine, ...others);
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: SECONDS * 1000,
      killSignal: 'SIGKILL',
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (until?.test(text)) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', () => {
      const lines = text.split(/[\r\n]+/).flatMap((line) => /BOOT-[A-Z]+.*/.exec(line)?.[0].trimEnd() ?? []);
      resolve(lines.length > 0 ? lines : [text.slice(-3000)]);
    });
  });
}
