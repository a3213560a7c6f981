/**
 * What a rendered Ignition config depends on, as plain data: every artefact is made from these settings and from
 * nothing else. The values are already checked; whoever fills them in (command line, inventory) names the place of a
 * mistake. A new artefact adds its settings here and a module of its own beside this one.
 */

export const profileNames = ['default', 'buildpy'] as const;

/** Whose document is rendered: this program's own, or the one of the script build.py of ironic-agent-image. */
export type ProfileName = (typeof profileNames)[number];

export interface AgentSettings {
  readonly profile: ProfileName;
  /** Where the agent looks for Ironic, in order: URLs with scheme, host and port, or `mdns` alone. */
  readonly apiUrls: readonly string[];
  /** Where inspection data go; with none, the agent derives the address from `apiUrls`. */
  readonly callbackUrls: readonly string[];
  readonly verifyIronicTls: boolean;
  /** The reference of the agent's container image. */
  readonly agentImage: string;
  readonly verifyRegistryTls: boolean;
  /** Lines of `authorized_keys` for the user `core`. */
  readonly sshKeys: readonly string[];
  /** Registry credentials as JSON text, as `parsePullSecret` gives them. */
  readonly pullSecret?: string;
  /** PEM certificates, as `parseCaCertificates` gives them. */
  readonly caCertificates?: string;
  readonly proxy: ProxySettings;
  /** Names or addresses, one server each. */
  readonly ntpServers: readonly string[];
  readonly hostname?: string;
  /** The user's ironic-python-agent.conf, which wins over what these settings say. */
  readonly userConf?: string;
  /** Raw lines of the conf that win over everything: `key = value`, a section header, a comment, or nothing. */
  readonly optionLines: readonly string[];
}

export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  /** Hosts, domains and networks that are reached directly; the Ironic hosts join them by themselves. */
  readonly noProxy: readonly string[];
}

/** Every setting that has a default. */
export const defaultSettings = {
  profile: 'default',
  callbackUrls: [],
  verifyIronicTls: true,
  agentImage: 'quay.io/metal3-io/ironic-agent',
  verifyRegistryTls: true,
  sshKeys: [],
  proxy: { noProxy: [] },
  ntpServers: [],
  optionLines: [],
} as const satisfies Partial<AgentSettings>;
