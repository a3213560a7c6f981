/**
 * What a rendered Ignition config depends on, as plain data: every artefact is made from these settings and from
 * nothing else. The values are already checked; whoever fills them in (command line, environment, inventory) names the
 * place of a mistake. A new artefact adds its settings here and a module of its own beside this one.
 */

import type { AddedFile } from '../ignition/dataFile.ts';
import type { Keyfile } from '../network/convertNmstate.ts';

export const profileNames = ['default', 'buildpy', 'icc', 'assisted', 'configure-coreos-ipa'] as const;

/**
 * Whose document is rendered: this program's own, that of the script build.py of ironic-agent-image, of the
 * image-customization-controller, of assisted-service's converged flow, or of ironic-image's configure-coreos-ipa.
 */
export type ProfileName = (typeof profileNames)[number];

export const pullPolicies = ['always', 'missing', 'newer', 'never'] as const;

/** When podman fetches the agent's image. */
export type PullPolicy = (typeof pullPolicies)[number];

export interface AgentSettings {
  readonly profile: ProfileName;
  /** Where the agent looks for Ironic, in order: URLs with scheme, host and port, or `mdns` alone; none: it does not. */
  readonly apiUrls: readonly string[];
  /** Where inspection data go; with none, the agent derives the address from `apiUrls`. */
  readonly callbackUrls: readonly string[];
  /** The addresses before they were completed, for the banner of the profile icc. */
  readonly givenUrls?: { readonly api: string; readonly inspector: string };
  readonly verifyIronicTls: boolean;
  /** The reference of the agent's container image. */
  readonly agentImage: string;
  readonly pullPolicy: PullPolicy;
  /** The image comes from here and not from a registry. */
  readonly archive?: AgentArchive;
  /** Further arguments of `podman pull`. */
  readonly pullArgs: readonly string[];
  readonly verifyRegistryTls: boolean;
  readonly podman: PodmanSettings;
  /** Folders for Python's module path in the container. */
  readonly hardwareManagers: readonly HardwareManager[];
  /** Lines of `authorized_keys` for the user `core`. */
  readonly sshKeys: readonly string[];
  /** Of the user `core`, as crypt(5) has it. */
  readonly passwordHash?: string;
  /** The consoles of the host are logged in as `core`. */
  readonly autologin: boolean;
  /** Serial consoles that ask for a login: device names such as `ttyS0`. */
  readonly serialConsoles: readonly string[];
  /** Registry credentials as JSON text, as `parsePullSecret` gives them. */
  readonly pullSecret?: string;
  /** A whole registries.conf. */
  readonly registriesConf?: string;
  /** PEM certificates, as `parseCaCertificates` gives them; as they were given for the profile icc. */
  readonly caCertificates?: string;
  readonly proxy: ProxySettings;
  /** Names or addresses, one server each. */
  readonly ntpServers: readonly string[];
  readonly hostname?: string;
  /** Connections of NetworkManager. */
  readonly keyfiles: readonly Keyfile[];
  /** Whether install_coreos hands the network of the ramdisk on to the installed system. */
  readonly copyNetwork?: boolean;
  /** A kernel argument of the installed system, e.g. `ip=dhcp6`. */
  readonly installIpOptions?: string;
  /** The interfaces on which the agent adds VLANs that LLDP tells of: `all`, names, or empty for none. */
  readonly vlanInterfaces?: string;
  /** The agent logs more, and to the journal. */
  readonly debug: boolean;
  /** The user's ironic-python-agent.conf, which wins over what these settings say. */
  readonly userConf?: string;
  /** Raw lines of the conf that win over everything: `key = value`, a section header, a comment, or nothing. */
  readonly optionLines: readonly string[];
  /** Further files of the host. */
  readonly files: readonly AddedFile[];
  /** Further units of the host, which are enabled. */
  readonly units: readonly AddedUnit[];
}

/** An archive of the agent's image, as hosts find it. */
export interface AgentArchive {
  /** Of the file, without folders. */
  readonly name: string;
  /** Of the file, in hex. */
  readonly sha512: string;
  /** The image that is run from it: the digest of its config, in hex. */
  readonly imageId: string;
  /** That the image runs on, as CoreOS calls it: `x86_64`. */
  readonly architecture: string;
  /** Where hosts fetch it; without, it is in the folder `coreos` of the medium. */
  readonly url?: string;
}

export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  /** Hosts, domains and networks that are reached directly; the Ironic hosts join them by themselves. */
  readonly noProxy: readonly string[];
}

/** What `podman run` gets besides. */
interface PodmanSettings {
  /** Values of `--mount`. */
  readonly mounts: readonly string[];
  /** Values of `--env`: `NAME=VALUE`. */
  readonly environment: readonly string[];
  /** Whole arguments, one word each. */
  readonly args: readonly string[];
}

/** A Python module with hardware managers and the `*.dist-info` that announces them. */
export interface HardwareManager {
  /** Of the folder; tells several apart. */
  readonly name: string;
  /** Paths are relative to the folder. */
  readonly files: readonly AddedFile[];
}

export interface AddedUnit {
  readonly name: string;
  readonly text: string;
}

/** Every setting that has a default. */
export const defaultSettings = {
  profile: 'default',
  callbackUrls: [],
  verifyIronicTls: true,
  agentImage: 'quay.io/metal3-io/ironic-agent',
  pullPolicy: 'always',
  pullArgs: [],
  verifyRegistryTls: true,
  podman: { mounts: [], environment: [], args: [] },
  hardwareManagers: [],
  sshKeys: [],
  autologin: false,
  serialConsoles: [],
  proxy: { noProxy: [] },
  ntpServers: [],
  keyfiles: [],
  debug: false,
  optionLines: [],
  files: [],
  units: [],
} as const satisfies Partial<AgentSettings>;
