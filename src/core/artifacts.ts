/**
 * The files that machines boot from: what the program knows of each kind of file, in one table. `hostArtifacts.ts` in
 * `src/hosts/artifacts` says what each file of a host is made from.
 */

/** `network`: a boot loader fetches kernel and initramfs. `minimal-iso`: the ISO contains them, the root filesystem is fetched. */
export type BootWay = 'network' | 'minimal-iso' | 'iso';

interface ArtifactFacts {
  /** With its article: "fetched the initramfs". */
  readonly noun: string;
  /** Media type. */
  readonly contentType: string;
  /** The file of the vendor, which contains neither a config nor a signed URL. */
  readonly isOfVendor: boolean;
  /** The stage of a boot that its transfer shows, in the timeline of `try`. */
  readonly stage: string;
  /** The same in the bar of a status page. */
  readonly part: string;
  /** How a machine boots that fetches it; undefined if machines fetch it with several ways to boot. */
  readonly way: BootWay | undefined;
}

/** A file that contains the config of a host, and, unless Ignition fetches it, the network of the host. */
interface HostArtifactFacts extends ArtifactFacts {
  /** In the folder of the host. */
  readonly fileName: string;
  /** Behind the name of the host, if the files of all hosts are in one folder. */
  readonly ending: string;
  /** What it is made from besides the config. */
  readonly base: 'initramfs' | 'iso' | undefined;
  /** The option that gives it, for a hint. */
  readonly source: string;
  /** Boot scripts start the artifact with the lowest rank that exists: the smallest download first, ISOs last. */
  readonly startRank: number;
  /** `serve` prints the URL of the one with the lowest rank: first images that a BMC mounts. */
  readonly printRank: number;
  /** What the help says. */
  readonly help: string;
}

const BYTES = 'application/octet-stream';
/** UEFI HTTP boot recognizes a disk image by this type (UEFI 2.10, section 24.7.3.1; EDK II requires this spelling). */
const EFI_ISO = 'application/vnd.efi-iso';

/** The artifacts that `--artifacts` selects, in the order of lists. */
export const hostArtifacts = {
  ign: {
    noun: 'the Ignition config',
    contentType: 'application/vnd.coreos.ignition+json',
    isOfVendor: false,
    stage: 'config',
    part: 'Ignition',
    way: undefined,
    fileName: 'config.ign',
    ending: '.ign',
    base: undefined,
    source: 'a live ISO with --iso FILE',
    startRank: 3,
    printRank: 4,
    help: 'Ignition config, fetched by Ignition',
  },
  archive: {
    noun: 'the archive with the Ignition config',
    contentType: BYTES,
    isOfVendor: false,
    stage: 'config',
    part: 'Ignition',
    way: 'network',
    fileName: 'config.img',
    ending: '.img',
    base: undefined,
    source: 'a live ISO with --iso FILE',
    startRank: 1,
    printRank: 5,
    help: 'small archive with the config; the boot loader loads it after the initramfs',
  },
  initramfs: {
    noun: 'the initramfs',
    contentType: BYTES,
    isOfVendor: false,
    stage: 'initramfs',
    part: 'kernel',
    way: 'network',
    fileName: 'initramfs.img',
    ending: '.initramfs',
    base: 'initramfs',
    source: '--initramfs FILE, or a live ISO that contains it',
    startRank: 2,
    printRank: 3,
    help: 'initramfs with the config, for deploy_ramdisk of Ironic',
  },
  iso: {
    noun: 'the ISO',
    contentType: EFI_ISO,
    isOfVendor: false,
    stage: 'image',
    part: 'media',
    way: 'iso',
    fileName: 'live.iso',
    ending: '.iso',
    base: 'iso',
    source: 'a live ISO with --iso FILE',
    startRank: 5,
    printRank: 1,
    help: 'live ISO with the config; --grow allows larger configs',
  },
  'minimal-iso': {
    noun: 'the minimal ISO',
    contentType: EFI_ISO,
    isOfVendor: false,
    stage: 'image',
    part: 'media',
    way: 'minimal-iso',
    fileName: 'minimal.iso',
    ending: '-minimal.iso',
    base: 'iso',
    source: 'a live ISO of 2022 or later with --iso FILE',
    startRank: 4,
    printRank: 2,
    help: 'minimal ISO with the config; it fetches the root filesystem from its URL',
  },
} as const satisfies Readonly<Record<string, HostArtifactFacts>>;

/** The other files that machines fetch. */
const otherArtifacts = {
  script: {
    noun: 'the boot script',
    contentType: 'text/plain; charset=utf-8',
    isOfVendor: false,
    stage: 'script',
    part: 'loader',
    way: 'network',
  },
  kernel: {
    noun: 'the kernel',
    contentType: BYTES,
    isOfVendor: true,
    stage: 'kernel',
    part: 'kernel',
    way: 'network',
  },
  rootfs: {
    noun: 'the root filesystem',
    contentType: BYTES,
    isOfVendor: true,
    stage: 'rootfs',
    part: 'root filesystem',
    way: undefined,
  },
  agent: {
    noun: 'the agent archive',
    contentType: 'application/x-tar',
    isOfVendor: false,
    stage: 'agent archive',
    part: 'image',
    way: undefined,
  },
} as const satisfies Readonly<Record<string, ArtifactFacts>>;

/** All kinds of files. An initramfs may also be the one that all hosts share. */
export const artifacts = { ...hostArtifacts, ...otherArtifacts };

export type ConfigArtifact = keyof typeof hostArtifacts;

export type ArtifactKind = keyof typeof artifacts;

export const configArtifacts = Object.keys(hostArtifacts).filter(
  (name): name is ConfigArtifact => name in hostArtifacts,
);
