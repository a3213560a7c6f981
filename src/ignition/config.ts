/**
 * An Ignition config as data: the union of all supported spec versions (`specVersions`). Fields that a document omits or sets to
 * null are absent, so decoded configs and those built in code look the same.
 */

/** A 64-bit integer: a bigint only if a number would lose digits. */
export type Integer = number | bigint;

export interface Config {
  readonly ignition?: IgnitionSection;
  readonly kernelArguments?: KernelArguments;
  readonly passwd?: Passwd;
  readonly storage?: Storage;
  readonly systemd?: Systemd;
}

export interface IgnitionSection {
  readonly config?: IgnitionConfig;
  readonly proxy?: Proxy;
  readonly security?: Security;
  readonly timeouts?: Timeouts;
  readonly version?: string;
}

export interface IgnitionConfig {
  readonly merge?: readonly Resource[];
  readonly replace?: Resource;
}

export interface Proxy {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: readonly string[];
}

interface Security {
  readonly tls?: Tls;
}

export interface Tls {
  readonly certificateAuthorities?: readonly Resource[];
}

interface Timeouts {
  readonly httpResponseHeaders?: Integer;
  readonly httpTotal?: Integer;
}

interface KernelArguments {
  readonly shouldExist?: readonly string[];
  readonly shouldNotExist?: readonly string[];
}

/** Contents from a URL; in 3.0.0 also under the names FileContents, ConfigReference and CaReference. */
export interface Resource {
  readonly compression?: string;
  readonly httpHeaders?: readonly HttpHeader[];
  readonly source?: string;
  readonly verification?: Verification;
}

export interface HttpHeader {
  readonly name?: string;
  readonly value?: string;
}

export interface Verification {
  readonly hash?: string;
}

interface Passwd {
  readonly groups?: readonly PasswdGroup[];
  readonly users?: readonly PasswdUser[];
}

interface PasswdGroup {
  readonly gid?: Integer;
  readonly name?: string;
  readonly passwordHash?: string;
  readonly shouldExist?: boolean;
  readonly system?: boolean;
}

export interface PasswdUser {
  readonly gecos?: string;
  readonly groups?: readonly string[];
  readonly homeDir?: string;
  readonly name?: string;
  readonly noCreateHome?: boolean;
  readonly noLogInit?: boolean;
  readonly noUserGroup?: boolean;
  readonly passwordHash?: string;
  readonly primaryGroup?: string;
  readonly shell?: string;
  readonly shouldExist?: boolean;
  readonly sshAuthorizedKeys?: readonly string[];
  readonly system?: boolean;
  readonly uid?: Integer;
}

export interface Storage {
  readonly directories?: readonly Directory[];
  readonly disks?: readonly Disk[];
  readonly files?: readonly File[];
  readonly filesystems?: readonly Filesystem[];
  readonly links?: readonly Link[];
  readonly luks?: readonly Luks[];
  readonly raid?: readonly Raid[];
}

/** Fields that files, directories and links share. */
export interface Node {
  readonly group?: NodeOwner;
  readonly overwrite?: boolean;
  readonly path?: string;
  readonly user?: NodeOwner;
}

export interface NodeOwner {
  readonly id?: Integer;
  readonly name?: string;
}

export interface Directory extends Node {
  readonly mode?: Integer;
}

export interface File extends Node {
  readonly append?: readonly Resource[];
  readonly contents?: Resource;
  readonly mode?: Integer;
}

export interface Link extends Node {
  readonly hard?: boolean;
  readonly target?: string;
}

export interface Disk {
  readonly device?: string;
  readonly partitions?: readonly Partition[];
  readonly wipeTable?: boolean;
}

export interface Partition {
  readonly guid?: string;
  readonly label?: string;
  readonly number?: Integer;
  readonly resize?: boolean;
  readonly shouldExist?: boolean;
  readonly sizeMiB?: Integer;
  readonly startMiB?: Integer;
  readonly typeGuid?: string;
  readonly wipePartitionEntry?: boolean;
}

export interface Filesystem {
  readonly device?: string;
  readonly format?: string;
  readonly label?: string;
  readonly mountOptions?: readonly string[];
  readonly options?: readonly string[];
  readonly path?: string;
  readonly uuid?: string;
  readonly wipeFilesystem?: boolean;
}

export interface Raid {
  readonly devices?: readonly string[];
  readonly level?: string;
  readonly name?: string;
  readonly options?: readonly string[];
  readonly spares?: Integer;
}

export interface Luks {
  readonly cex?: Cex;
  readonly clevis?: Clevis;
  readonly device?: string;
  readonly discard?: boolean;
  readonly keyFile?: Resource;
  readonly label?: string;
  readonly name?: string;
  readonly openOptions?: readonly string[];
  readonly options?: readonly string[];
  readonly uuid?: string;
  readonly wipeVolume?: boolean;
}

interface Cex {
  readonly enabled?: boolean;
}

export interface Clevis {
  readonly custom?: ClevisCustom;
  readonly tang?: readonly Tang[];
  readonly threshold?: Integer;
  readonly tpm2?: boolean;
}

export interface ClevisCustom {
  readonly config?: string;
  readonly needsNetwork?: boolean;
  readonly pin?: string;
}

export interface Tang {
  readonly advertisement?: string;
  readonly thumbprint?: string;
  readonly url?: string;
}

export interface Systemd {
  readonly units?: readonly Unit[];
}

export interface Unit {
  readonly contents?: string;
  readonly dropins?: readonly Dropin[];
  readonly enabled?: boolean;
  readonly mask?: boolean;
  readonly name?: string;
}

export interface Dropin {
  readonly contents?: string;
  readonly name?: string;
}
