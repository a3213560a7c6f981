/** Writes FAT12 images, and programs for UEFI with and without a signature. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';

const SECTOR = 512;

/**
 * A FAT12 image with one sector per cluster.
 * @param files by path; the names of files and folders have the form 8.3
 */
export function fatImage(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const fat = [0xff8, 0xfff];
  const clusters: Buffer[] = [];
  const store = (content: Uint8Array): number => {
    const count = Math.max(1, Math.ceil(content.length / SECTOR));
    const start = fat.length;
    for (let index = 1; index <= count; index++) fat.push(index === count ? 0xfff : start + index);
    const padded = Buffer.alloc(count * SECTOR);
    padded.set(content);
    clusters.push(padded);
    return start;
  };
  const folderOf = (prefix: string): Buffer => {
    const names = new Set(
      [...files.keys()].flatMap((path) =>
        path.startsWith(prefix) ? [path.slice(prefix.length).split('/')[0] ?? ''] : [],
      ),
    );
    return Buffer.concat(
      [...names].map((name) => {
        const content = files.get(prefix + name);
        const start = store(content ?? folderOf(`${prefix}${name}/`));
        const [base = '', extension = ''] = name.split('.');
        const entry = Buffer.alloc(32);
        entry.write(base.toUpperCase().padEnd(8) + extension.toUpperCase().padEnd(3), 'latin1');
        entry.writeUInt8(content === undefined ? 0x10 : 0x20, 11);
        entry.writeUInt8(base === base.toLowerCase() ? 0x18 : 0, 12);
        entry.writeUInt16LE(start, 26);
        entry.writeUInt32LE(content?.length ?? 0, 28);
        return entry;
      }),
    );
  };
  const root = Buffer.alloc(32 * 16);
  root.set(folderOf(''));
  const table = Buffer.alloc(Math.ceil((fat.length * 1.5) / SECTOR) * SECTOR);
  for (const [index, value] of fat.entries()) {
    const at = index + (index >> 1);
    const known = table.readUInt16LE(at);
    table.writeUInt16LE(index % 2 === 0 ? (known & 0xf000) | value : (known & 0xf) | (value << 4), at);
  }
  const boot = Buffer.alloc(SECTOR);
  boot.writeUInt16LE(SECTOR, 11);
  boot.writeUInt8(1, 13);
  boot.writeUInt16LE(1, 14);
  boot.writeUInt8(1, 16);
  boot.writeUInt16LE(16, 17);
  const sectors =
    1 + (table.length + root.length) / SECTOR + clusters.reduce((sum, one) => sum + one.length / SECTOR, 0);
  boot.writeUInt16LE(sectors, 19);
  boot.writeUInt16LE(table.length / SECTOR, 22);
  boot.writeUInt16LE(0xaa55, 510);
  return Buffer.concat([boot, table, root, ...clusters]);
}

/** A program for UEFI without code. @param signatures PKCS #7 in DER */
export function efiProgram(...signatures: readonly Uint8Array[]): Buffer {
  const program = Buffer.alloc(0x200);
  program.writeUInt32LE(0x40, 0x3c);
  program.write('PE\0\0', 0x40, 'latin1');
  program.writeUInt16LE(0x20b, 0x58);
  const entries = signatures.map((der) => {
    const entry = Buffer.alloc(8 + Math.ceil(der.length / 8) * 8);
    entry.writeUInt32LE(8 + der.length, 0);
    entry.writeUInt16LE(0x200, 4);
    entry.writeUInt16LE(2, 6);
    entry.set(der, 8);
    return entry;
  });
  const table = Buffer.concat(entries);
  if (table.length > 0) program.writeUInt32LE(program.length, 0x58 + 112 + 32);
  program.writeUInt32LE(table.length, 0x58 + 112 + 36);
  return Buffer.concat([program, table]);
}

/** PKCS #7 of a signer with this name, who issued the certificate to themselves. */
export function signature(value: string, name = 'commonName'): Buffer {
  const { md, pkcs7, pki } = forge;
  const keys = pki.rsa.generateKeyPair(1024);
  const certificate = pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = '0a1b';
  certificate.setSubject([{ name, value }]);
  certificate.setIssuer(certificate.subject.attributes);
  certificate.sign(keys.privateKey, md.sha256.create());
  const signed = pkcs7.createSignedData();
  signed.content = forge.util.createBuffer('content');
  signed.addCertificate(certificate);
  signed.addSigner({
    key: keys.privateKey,
    certificate,
    digestAlgorithm: pki.oids['sha256']!,
    authenticatedAttributes: [],
  });
  signed.sign();
  return Buffer.from(forge.asn1.toDer(signed.toAsn1()).getBytes(), 'latin1');
}

/**
 * An image of mkfs.vfat and mcopy.
 * @param bits of the FAT
 */
export function mtoolsImage(files: ReadonlyMap<string, Uint8Array>, bits: 12 | 16 | 32): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'fat '));
  try {
    const image = join(folder, 'image');
    const sectors = { 12: 4000, 16: 40_960, 32: 131_072 }[bits];
    execFileSync('mkfs.vfat', ['-C', `-F${bits}`, '-s1', image, String(sectors / 2)], { stdio: 'pipe' });
    const folders = new Set(
      [...files.keys()].flatMap((path) => {
        const steps = path.split('/').slice(0, -1);
        return steps.map((_step, index) => `::${steps.slice(0, index + 1).join('/')}`);
      }),
    );
    execFileSync('mmd', ['-i', image, ...folders], { stdio: 'pipe' });
    for (const [path, content] of files) {
      writeFileSync(join(folder, 'file'), content);
      execFileSync('mcopy', ['-i', image, join(folder, 'file'), `::${path}`], { stdio: 'pipe' });
    }
    return readFileSync(image);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The EFI system partition of a live ISO, with a shim and a GRUB that no one has signed. */
export const loaderPartition = fatImage(
  new Map(['shimx64.efi', 'grubx64.efi'].map((name) => [`EFI/fedora/${name}`, efiProgram()])),
);
