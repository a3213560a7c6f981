/**
 * What the names of boot files say about them: the part of a live system, and its architecture. Releases of CoreOS, the ramdisk
 * builders of ironic-python-agent and ironic-image name them by their part. A name that says nothing, or more than one thing, is accepted.
 */

import { architectures } from '../core/architecture.ts';
import type { Finding, Path } from '../core/finding.ts';
import type { KernelArgument } from './argument.ts';
import { coreosArguments } from './coreosArguments.ts';
import { found, lintWarnings } from '../core/rule.ts';

/** The URL of a boot file, and what it is used as; an empty one is not checked. */
export interface NamedBootFile {
  readonly use: FileUse;
  readonly url: string;
  readonly path: Path;
}

type FileUse = 'kernel' | 'initramfs' | 'root filesystem' | 'live ISO' | 'disk image';

export const bootFileRules = lintWarnings({
  'boot-url-name': [
    'by its name, the URL is that of another file',
    'use the URL of the file for this purpose',
  ],
  'boot-url-architecture': [
    'by their names, the files are for several architectures',
    'use the URLs of one build',
  ],
});

const words: readonly (readonly [use: FileUse, word: RegExp])[] = [
  ['live ISO', /\.iso$/],
  ['disk image', /\.(?:raw|qcow2)(?:\.|$)/],
  ['root filesystem', /(?:^|[-._])rootfs(?:[-._]|$)/],
  ['initramfs', /(?:^|[-._])(?:initramfs|initrd)(?:[-._]|$)/],
  ['kernel', /(?:^|[-._])(?:kernel|vmlinuz)(?:[-._]|$)/],
];

export function rootfsOf(list: readonly KernelArgument[]): readonly NamedBootFile[] {
  const rootfs = list.findLast(({ name }) => name === coreosArguments.rootfsUrl.name);
  return rootfs?.value === undefined
    ? []
    : [{ use: 'root filesystem', url: rootfs.value, path: rootfs.path }];
}

/** Files whose names are those of other files, and files of other architectures than the first one. */
export function checkBootFiles(files: readonly NamedBootFile[]): readonly Finding[] {
  const named = files.map((file) => ({ ...file, ...readName(file.url) }));
  const first = named.find(({ architecture }) => architecture !== undefined);
  return named.flatMap(({ architecture = first?.architecture, meant = '', path, use }) =>
    found(
      meant !== '' &&
        meant !== use && {
          ...bootFileRules['boot-url-name'],
          path,
          message: `by its name, the file is ${/^[aeiou]/.test(meant) ? 'an' : 'a'} ${meant}, not the ${use}`,
          hint: `use the URL of the ${use}`,
        },
      architecture !== first?.architecture && {
        ...bootFileRules['boot-url-architecture'],
        path,
        message: `by their names, the ${use} is for ${architecture} and the ${first?.use} for ${first?.architecture}`,
        hint: `use the URL of the ${use} for ${first?.architecture}`,
      },
    ),
  );
}

function readName(url: string) {
  const [name = ''] = /[^/]*$/.exec(url.toLowerCase().replace(/[?#].*$/, '')) ?? [];
  const [meant, ...others] = words.filter(([, word]) => word.test(name)).map(([use]) => use);
  const [architecture, ...more] = architectures.filter((machine) => name.includes(machine));
  return {
    meant: others.length === 0 ? meant : undefined,
    architecture: more.length === 0 ? architecture : undefined,
  };
}
