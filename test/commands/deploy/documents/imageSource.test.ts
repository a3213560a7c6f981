import { describe, expect, it } from 'vitest';
import {
  checkImageChecksum,
  checkImageFormat,
  checkImageSource,
} from '../../../../src/commands/deploy/documents/installation.ts';

const rules = (issues: readonly { readonly rule: string }[]) => issues.map(({ rule }) => rule);

describe('another image', () => {
  it.each([
    ['https', 'https://h/fcos-metal.x86_64.raw.xz', ['image-unverified']],
    ['http', 'http://h/x', ['image-unverified']],
    ['a disk of QEMU', 'https://h/fcos-qemu.x86_64.qcow2.xz', ['image-format']],
    ['a live ISO', 'http://h/live.iso', ['image-format']],
    ['a file', 'file:///x', ['image-url']],
    ['no host', 'https:///x', ['image-url']],
    ['a blank', 'https://h/a b', ['image-url']],
    ['nothing', '', ['image-url']],
  ])('has a URL: %s', (_title, url, expected) => {
    expect(rules([checkImageSource(url)])).toEqual(expected);
  });

  it.each([
    ['none', undefined, [], []],
    ['raw', 'raw', [], []],
    ['qcow2', 'qcow2', ['image-format'], []],
    ['vmdk', 'vmdk', ['image-format'], ['image-format']],
    ['a live ISO', 'live-iso', ['image-format'], ['image-format']],
  ])('has a format: %s', (_title, format, installed, written) => {
    expect(rules(checkImageFormat(format, 'coreos-installer'))).toEqual(installed);
    expect(rules(checkImageFormat(format, 'ironic'))).toEqual(written);
  });

  it.each([
    ['SHA-256', 'a'.repeat(64), []],
    ['SHA-512', 'B'.repeat(128), []],
    ['a URL', 'https://h/SHA256SUMS', []],
    ['MD5', 'a'.repeat(32), ['image-checksum']],
    ['none', undefined, ['image-checksum']],
    ['text', 'sha256', ['image-checksum']],
  ])('has a checksum: %s', (_title, checksum, expected) => {
    expect(rules(checkImageChecksum(checksum, true))).toEqual(expected);
  });
});
