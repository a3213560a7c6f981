/** The command line of the emulated machine. */

import { describe, expect, it } from 'vitest';
import { guestNetwork } from '../../../src/trial/emulation/guestNetwork.ts';
import { machineArguments, type MachinePlan } from '../../../src/trial/emulation/qemu.ts';

const plan: MachinePlan = {
  accelerators: ['tcg'],
  architecture: 'x86_64',
  firmware: { kind: 'bios' },
  memory: 4096,
  mac: '52:54:00:12:34:56',
  network: guestNetwork('10.0.2.2'),
  medium: { kind: 'cd', path: '/images/live.iso' },
};
const uefi: MachinePlan['firmware'] = {
  kind: 'uefi',
  code: '/fw/code,a.fd',
  variables: '/fw/vars.qcow2',
};

describe('the machine', () => {
  it('is this one, as a whole', () => {
    expect(machineArguments(plan).join(' ')).toMatchInlineSnapshot(
      `"-nodefaults -no-user-config -display none -machine pc -accel tcg -cpu max,arch-capabilities=off -smp 2 -m 4096M -vga std -drive if=none,id=cd,media=cdrom,readonly=on,format=raw,file.driver=file,file.filename=/images/live.iso -device ide-cd,drive=cd,bootindex=0 -netdev user,id=net,net=10.0.2.0/24,host=10.0.2.2,dns=10.0.2.3,dhcpstart=10.0.2.15 -device virtio-net-pci,netdev=net,mac=52:54:00:12:34:56,romfile= -device virtio-rng-pci -chardev stdio,id=console,signal=off -serial chardev:console -chardev socket,id=control,fd=3 -mon chardev=control,mode=control"`,
    );
  });

  it.each<readonly [string, Partial<MachinePlan>, string]>([
    [
      'with KVM if it works',
      { accelerators: ['kvm', 'tcg'] },
      '-accel kvm -accel tcg -cpu max,arch-capabilities=off ',
    ],
    ['of aarch64', { architecture: 'aarch64' }, '-machine virt -accel tcg -cpu max '],
    [
      'with a CD in aarch64',
      { architecture: 'aarch64' },
      '-device virtio-scsi-pci -device scsi-cd,drive=cd,bootindex=0 ',
    ],
    [
      'with UEFI, its variables as they are in the file at each start',
      { firmware: uefi },
      '-drive if=pflash,unit=0,readonly=on,format=raw,file=/fw/code,,a.fd ' +
        '-drive if=pflash,unit=1,snapshot=on,format=qcow2,file=/fw/vars.qcow2 ',
    ],
    [
      'with a file that looks like a protocol and has a comma',
      { medium: { kind: 'cd', path: 'nbd:x,readonly=off' } },
      'readonly=on,format=raw,file.driver=file,file.filename=nbd:x,,readonly=off ',
    ],
    [
      'with an ISO that is read over HTTP',
      { medium: { kind: 'cd-url', url: 'http://127.0.0.1:8084/a.iso' } },
      'format=raw,file=http://127.0.0.1:8084/a.iso -device ide-cd',
    ],
    [
      'that boots over the network',
      { medium: { kind: 'network', scriptUrl: 'http://10.0.2.2:8084/boot.ipxe' } },
      'dhcpstart=10.0.2.15,bootfile=http://10.0.2.2:8084/boot.ipxe -device virtio-net-pci,netdev=net,mac=52:54:00:12:34:56,bootindex=0 ',
    ],
  ])('%s', (_title, changes, part) => {
    expect(machineArguments({ ...plan, ...changes }).join(' ')).toContain(part);
  });

  it('has no disk that could be written to', () => {
    const drives = machineArguments({ ...plan, firmware: uefi }).filter((text) => text.startsWith('if='));
    expect(drives).toHaveLength(3);
    for (const drive of drives) expect(drive).toMatch(/readonly=on|snapshot=on/);
  });
});

describe('its network', () => {
  it.each([
    ['192.0.2.1', '192.0.2.0/24', '192.0.2.3', '192.0.2.15'],
    ['192.0.2.3', '192.0.2.0/24', '192.0.2.4', '192.0.2.15'],
    ['192.0.2.15', '192.0.2.0/24', '192.0.2.3', '192.0.2.100'],
    ['192.0.2.30', '192.0.2.0/24', '192.0.2.3', '192.0.2.100'],
    ['192.0.2.31', '192.0.2.0/24', '192.0.2.3', '192.0.2.15'],
    ['192.0.2.254', '192.0.2.0/24', '192.0.2.3', '192.0.2.15'],
  ])('with this machine at %s', (host, net, dns, firstLease) => {
    expect(guestNetwork(host)).toEqual({ net, host, dns, firstLease });
  });

  it.each([
    '',
    'ironic',
    '::1',
    '127.0.0.1',
    '0.0.0.1',
    '224.0.0.1',
    '192.0.2.0',
    '192.0.2.255',
    '192.0.2.300',
  ])('not with this machine at %j', (host) => {
    expect(() => guestNetwork(host)).toThrow(/^--guest-host /);
  });
});
