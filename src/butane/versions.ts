/**
 * What each version of Butane's `fcos` variant adds. A version has all that older versions have, and the fields of its
 * Ignition spec with underscores (`sizeMiB` is `size_mib`). To support another version, add an entry. Source: the schemas
 * in Ignition's `butane/base/` and `butane/config/fcos/`.
 */

import type { SpecVersion } from '../ignition/versions.ts';

/**
 * The type of a field: `string`, `integer`, `boolean` or the name of an object, `[…]` for a list of them, `!` for a scalar
 * that is empty if it is missing.
 */
export type FieldSpec = string;

/** Fields by object: an object of Ignition under its Go name, or a new one. */
type AddedFields = Readonly<Record<string, Readonly<Record<string, FieldSpec>>>>;

/** Behavior that does not show in the fields. */
type Feature =
  /** Inlined contents are compressed with gzip if that is shorter. */
  | 'compression'
  /** Mount units of LUKS devices that need the network wait for it. */
  | 'remote-mounts'
  /** Checks of the size of the root partition. */
  | 'root-size'
  /** `with_mount_unit` for swap. */
  | 'swap-units'
  /** Layouts and devices of s390x, and checks of mount points and of partitions without number. */
  | 's390x'
  /** A mirror requires a layout, and a LUKS device a method to unlock it. */
  | 'strict-boot-device';

interface ButaneRelease {
  readonly spec: SpecVersion;
  readonly adds: AddedFields;
  readonly features?: readonly Feature[];
}

const inlined = { inline: 'string', local: 'string' };

const releases = {
  '1.0.0': {
    spec: '3.0.0',
    adds: { Config: { variant: '!string', version: '!string' }, FileContents: { inline: 'string' } },
  },
  '1.1.0': {
    spec: '3.1.0',
    adds: {
      Resource: inlined,
      Filesystem: { with_mount_unit: 'boolean' },
      Storage: { trees: '[Tree]' },
      Tree: { local: '!string', path: 'string' },
    },
    features: ['compression'],
  },
  '1.2.0': { spec: '3.2.0', adds: {}, features: ['remote-mounts'] },
  '1.3.0': {
    spec: '3.2.0',
    adds: {
      Config: { boot_device: 'BootDevice' },
      BootDevice: { layout: 'string', luks: 'BootDeviceLuks', mirror: 'BootDeviceMirror' },
      BootDeviceLuks: { tang: '[Tang]', threshold: 'integer', tpm2: 'boolean' },
      BootDeviceMirror: { devices: '[string]' },
    },
    features: ['root-size'],
  },
  '1.4.0': { spec: '3.3.0', adds: {}, features: ['swap-units'] },
  '1.5.0': {
    spec: '3.4.0',
    adds: {
      Config: { grub: 'Grub' },
      Grub: { users: '[GrubUser]' },
      GrubUser: { name: '!string', password_hash: 'string' },
      BootDeviceLuks: { discard: 'boolean' },
      Unit: { contents_local: 'string' },
      Dropin: { contents_local: 'string' },
      PasswdUser: { ssh_authorized_keys_local: '[string]' },
    },
  },
  '1.6.0': {
    spec: '3.5.0',
    adds: { BootDeviceLuks: { cex: 'Cex', device: 'string' } },
    features: ['s390x'],
  },
  '1.7.0': {
    spec: '3.6.0',
    adds: { Tree: { group: 'NodeGroup', user: 'NodeUser', file_mode: 'integer', dir_mode: 'integer' } },
    features: ['strict-boot-device'],
  },
  '1.8.0-experimental': {
    spec: '3.7.0-experimental',
    adds: {
      Systemd: { quadlets: '[Quadlet]' },
      Quadlet: {
        contents: 'string',
        contents_local: 'string',
        name: '!string',
        rootful: '!boolean',
        dropins: '[Dropin]',
      },
    },
  },
} as const satisfies Readonly<Record<string, ButaneRelease>>;

/** A version with everything that it and older versions add. */
export interface ButaneRules {
  readonly spec: SpecVersion;
  readonly adds: readonly AddedFields[];
  readonly features: ReadonlySet<Feature>;
}

/** Undefined for an unknown version. */
export function rulesOfVersion(version: string): ButaneRules | undefined {
  if (!Object.hasOwn(releases, version)) return undefined;
  const adds: AddedFields[] = [];
  const features = new Set<Feature>();
  for (const [name, release] of Object.entries<ButaneRelease>(releases)) {
    adds.push(release.adds);
    for (const feature of release.features ?? []) features.add(feature);
    if (name === version) return { spec: release.spec, adds, features };
  }
  return undefined;
}

export const butaneVersions = Object.keys(releases);

/** The oldest version that is translated to this version of the Ignition spec; undefined if none is. */
export function versionOfSpec(spec: string): string | undefined {
  return Object.entries<ButaneRelease>(releases).find(([, release]) => release.spec === spec)?.[0];
}
