/**
 * The input for a rendered Ignition config, as plain data: every artefact is rendered from these settings only. The values
 * are valid; the callers that set them (command line, environment, inventory) report mistakes. A new artefact adds its
 * settings here and a separate module next to this one.
 */

import type { InputSource } from '../core/errors.ts';
import type { AddedFile } from '../ignition/dataFile.ts';
import type { Keyfile } from '../network/convertedKeyfile.ts';

export const profileNames = ['default', 'buildpy', 'icc', 'assisted', 'configure-coreos-ipa'] as const;

/**
 * The generator of the document: this program, the script build.py of ironic-agent-image, the
 * image-customization-controller, the converged flow of assisted-service, or configure-coreos-ipa of ironic-image.
 */
export type ProfileName = (typeof profileNames)[number];

export const pullPolicies = ['always', 'missing', 'newer', 'never'] as const;

type PullPolicy = (typeof pullPolicies)[number];

export interface AgentSettings {
  readonly profile: ProfileName;
  /** Ironic API URLs in order of preference, with scheme, host and port, or only `mdns`; empty: no Ironic. */
  readonly apiUrls: readonly string[];
  /** URLs that receive inspection data; if empty, the agent derives them from `apiUrls`. */
  readonly callbackUrls: readonly string[];
  /** The URLs as given by the user, for the banner of the profile icc. */
  readonly givenUrls?: { readonly api: string; readonly inspector: string };
  readonly verifyIronicTls: boolean;
  readonly agentImage: string;
  readonly pullPolicy: PullPolicy;
  /** The source of the image, instead of a registry. */
  readonly archive?: AgentArchive | undefined;
  readonly pullArgs: readonly string[];
  readonly verifyRegistryTls: boolean;
  /** Complete arguments of `podman run`, one word each. */
  readonly podmanArgs: readonly string[];
  /** Folders for Python's module path in the container. */
  readonly hardwareManagers: readonly HardwareManager[];
  /** Lines of `authorized_keys` for the user `core`. */
  readonly sshKeys: readonly string[];
  /** Password hash of the user `core`, in the format of crypt(5). */
  readonly passwordHash?: string | undefined;
  readonly autologin: boolean;
  /** Serial consoles with a login prompt: device names such as `ttyS0`. */
  readonly serialConsoles: readonly string[];
  /** Registry credentials as JSON text, from `parsePullSecret`. */
  readonly pullSecret?: string | undefined;
  readonly registriesConf?: string | undefined;
  /** PEM certificates from `parseCaCertificates`; unchanged for the profile icc. */
  readonly caCertificates?: string | undefined;
  readonly proxy: ProxySettings;
  /** Names or addresses, one server each. */
  readonly ntpServers: readonly string[];
  readonly hostname?: string | undefined;
  readonly keyfiles: readonly Keyfile[];
  /** Whether install_coreos copies the network of the ramdisk to the installed system. */
  readonly copyNetwork?: boolean | undefined;
  /** A kernel argument of the installed system, e.g. `ip=dhcp6`. */
  readonly installIpOptions?: string | undefined;
  /** The options in `[DEFAULT]` of the agent's conf that settings set, in the order of the conf. */
  readonly confOptions: Readonly<Record<string, string>>;
  readonly debug: boolean;
  /** The user's ironic-python-agent.conf, which overrides these settings. */
  readonly userConf?: string | undefined;
  /** Lines of the conf with the highest precedence: `key = value`, a section header, a comment, or an empty line. */
  readonly optionLines: readonly string[];
  readonly confSources?: ConfSources;
  /** Additional files of the host, and the files of the user that they were made from, for messages. */
  readonly files: readonly (AddedFile & { readonly from?: string })[];
  readonly units: readonly AddedUnit[];
}

/** The inputs that the lines of the agent's conf are from. */
export interface ConfSources {
  readonly userConf: string;
  /** Of the lines of `optionLines`, in the same order. */
  readonly optionLines: readonly InputSource[];
  /** By the names of the options that settings set. */
  readonly options: Readonly<Record<string, InputSource>>;
}

export interface AgentArchive {
  /** Name of the file, without folders. */
  readonly name: string;
  /** Of the file, in hex. */
  readonly sha512: string;
  /** The image to run: the digest of its config, in hex. */
  readonly imageId: string;
  /** The architecture of the image, with its name in CoreOS: `x86_64`. */
  readonly architecture: string;
  /** URL of the archive; if absent, it is in the folder `coreos` of the medium. */
  readonly url?: string | undefined;
}

export interface ProxySettings {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts, domains and networks to reach without a proxy; the Ironic hosts are added automatically. */
  readonly noProxy: readonly string[];
}

/** A Python module with hardware managers and the `*.dist-info` that declares them. */
export interface HardwareManager {
  /** Name of the folder; must be unique. */
  readonly name: string;
  /** Paths are relative to the folder. */
  readonly files: readonly AddedFile[];
}

export interface AddedUnit {
  /** The file of the user, for messages. */
  readonly from?: string;
  readonly name: string;
  readonly text: string;
}

export const defaultSettings = {
  profile: 'default',
  callbackUrls: [],
  verifyIronicTls: true,
  pullPolicy: 'always',
  pullArgs: [],
  verifyRegistryTls: true,
  podmanArgs: [],
  hardwareManagers: [],
  sshKeys: [],
  autologin: false,
  serialConsoles: [],
  proxy: { noProxy: [] },
  ntpServers: [],
  keyfiles: [],
  confOptions: {},
  debug: false,
  optionLines: [],
  files: [],
  units: [],
} as const satisfies Partial<AgentSettings>;
