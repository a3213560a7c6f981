import { describe, expect, it } from 'vitest';
import { type NamedBootFile, checkBootFiles } from '../../src/kargs/bootFileNames.ts';

const live = 'http://192.0.2.1/fedora-coreos-44.20260707.3.1-live';
const uses = ['kernel', 'initramfs', 'root filesystem', 'live ISO', 'disk image'] as const;
const check = (files: Partial<Record<NamedBootFile['use'], string>>) =>
  checkBootFiles(uses.map((use) => ({ use, url: files[use] ?? '', path: [use] }))).map(
    ({ message, rule, path }) => `${rule} ${path.join()}: ${message}`,
  );

describe('checkBootFiles', () => {
  it.each<[string, Partial<Record<NamedBootFile['use'], string>>]>([
    [
      'names of 2026',
      {
        kernel: `${live}-kernel.x86_64`,
        initramfs: `${live}-initramfs.x86_64.img`,
        'root filesystem': `${live}-rootfs.x86_64.img`,
        'live ISO': `${live}-iso.x86_64.iso`,
        'disk image': 'http://192.0.2.1/fedora-coreos-44.20260707.3.1-metal.x86_64.raw.xz',
      },
    ],
    [
      'names of ironic-image',
      {
        kernel: 'file:///shared/html/images/ironic-python-agent.kernel',
        initramfs: 'file:///shared/html/images/ironic-python-agent.initramfs',
        'root filesystem': 'http://192.0.2.1/images/ironic-python-agent.rootfs',
      },
    ],
    ['names on an ISO', { kernel: 'http://192.0.2.1/vmlinuz', initramfs: 'http://192.0.2.1/initrd.img' }],
    [
      'names that say nothing',
      { kernel: 'http://192.0.2.1/a', initramfs: '77b57a52-5e11-4e0b-9a37-3b6ae5cd5e66' },
    ],
    ['a name that says two things', { initramfs: 'http://192.0.2.1/kernel-and-initramfs.img' }],
    ['words in folders', { kernel: 'http://192.0.2.1/initramfs/x86_64/aarch64/vmlinuz' }],
    ['no URL', { kernel: '' }],
  ])('accepts %s', (_title, files) => {
    expect(check(files)).toEqual([]);
  });

  it.each<[string, Partial<Record<NamedBootFile['use'], string>>, string[]]>([
    [
      'a metal image for the root filesystem',
      { 'root filesystem': 'http://192.0.2.1/rhcos-metal.x86_64.raw.gz?a=/b' },
      ['boot-url-name root filesystem: by its name, the file is a disk image, not the root filesystem'],
    ],
    [
      'a kernel and an initramfs in the place of each other',
      { kernel: `${live}-initramfs.x86_64.img`, initramfs: `${live}-kernel.x86_64` },
      [
        'boot-url-name kernel: by its name, the file is an initramfs, not the kernel',
        'boot-url-name initramfs: by its name, the file is a kernel, not the initramfs',
      ],
    ],
    [
      'two architectures',
      { kernel: `${live}-kernel.x86_64`, 'root filesystem': `${live}-rootfs.aarch64.img` },
      [
        'boot-url-architecture root filesystem: by their names, the root filesystem is for aarch64 and the kernel for x86_64',
      ],
    ],
  ])('finds %s', (_title, files, findings) => {
    expect(check(files)).toEqual(findings);
  });
});
