/**
 * All settings: each is one row with its name in settings files, its flag, environment variables, the profiles that support it,
 * the parser of its text, and the options of the agent's conf that it sets. The command line, the parsing of the environment,
 * `--show-settings` and the schema of inventories are generated from this table, and `hosts/settings/reading.ts` reads the
 * values. Settings in `boot` and `image` have no effect on a config: they become kernel arguments, and choose the images.
 *
 * The environment variables are those of the image-customization-controller and of configure-coreos-ipa.
 */

import { checkImageReference } from '../formats/imageReference.ts';
import { checkArchiveUrl } from './agentArchive.ts';
import { CA_CONTAINER_PATH } from './files.ts';
import { checkApiUrls, checkCallbackUrl, parseInspectorUrls } from './ironicUrl.ts';
import { parsePasswordHash, parseSerialConsole } from './login.ts';
import type { ParseContext } from './parseContext.ts';
import { parseNoProxy, parseProxyUrl } from './proxy.ts';
import { parsePullSecret } from './pullSecret.ts';
import { type ProfileName, profileNames, pullPolicies } from './settings.ts';
import * as parsers from './settingParsers.ts';
import * as icc from './profiles/icc.ts';

/**
 * `file`: a path; its variables in the environment may contain the content instead. Plural kinds are repeatable.
 * `list`: a text with commas, or a list in a settings file. `port`: also a number in a settings file.
 */
export type InputKind = 'text' | 'texts' | 'port' | 'list' | 'file' | 'files' | 'switch';

export interface EnvironmentVariable {
  readonly name: string;
  /** Other programs use the name, too, so it counts only if the environment is intended for this program. */
  readonly isShared?: true;
  readonly isContent?: true;
  /** Profiles for which an empty variable differs from an unset one. */
  readonly emptyCountsFor?: readonly ProfileName[];
  /** The profiles that read the variable, if not all profiles of the setting do. */
  readonly profiles?: readonly ProfileName[];
}

/** Throws FormatError without a subject, or UsageError with the whole message. Of plural kinds, lists are joined. */
type Parse = (text: string, context: ParseContext) => unknown;

export interface SettingFile {
  /** Begins messages: `Pull secret not found`. */
  readonly what: string;
  /** With its article, for the error about a file of another type. */
  readonly noun?: string;
  /** The file may be in DER. */
  readonly isCertificate?: boolean;
  /** What users give instead of a path. It is secret, so no message quotes it. */
  readonly inline?: { readonly noun: string; readonly pattern: RegExp };
  /** An input with this text is the content and not a path. */
  readonly orText?: RegExp;
}

export interface Setting {
  /** In a settings file: `section.name`. */
  readonly name: string;
  readonly kind: InputKind;
  /** With its argument, as in the help; settings without a flag are set in the environment or a file. */
  readonly flag?: string;
  readonly alias?: string;
  readonly help: string;
  /** What a shell offers as the value of the flag (default: the names of files for a file). */
  readonly completion?: 'file' | 'folder';
  /** Most users need the flag: it is in the short help. */
  readonly isCommon?: true;
  /** In order of precedence; of a repeatable setting, all count. */
  readonly environment?: readonly EnvironmentVariable[];
  readonly isSecret?: true;
  readonly profiles: readonly ProfileName[];
  readonly fallback?: string;
  /** The profiles that have the default, if not all profiles of the setting do. */
  readonly fallbackProfiles?: readonly ProfileName[];
  readonly choices?: readonly string[];
  /** If absent, the value is the text. */
  readonly parse?: Parse;
  /** The parsers of profiles that read a text as their upstream generators do. */
  readonly upstream?: { readonly [P in ProfileName]?: Parse };
  /** How the file of the setting is read; if absent, the setting has a reader of its own, or is only a path. */
  readonly content?: SettingFile;
  /**
   * The options in `[DEFAULT]` of the agent's conf that the setting sets, with their values; undefined for an option that each
   * profile writes in its own way. A value without text has no line.
   */
  readonly options?: Readonly<Record<string, ((value: unknown) => string | undefined) | undefined>>;
}

const own = ['default', 'buildpy'] as const;
const ownAndIcc = [...own, 'icc'] as const;
const SCRIPT = 'configure-coreos-ipa';

/** The value of an option that a switch turns on. */
const ifOn = (isOn: unknown): string | undefined => (isOn === true ? 'True' : undefined);

/** ICC and the converged flow of assisted-service have the same parsers. */
function likeIcc<P extends Parse>(parse: P) {
  return { icc: parse, assisted: parse };
}

/** All profiles support a setting without `profiles`. */
const table = [
  {
    name: 'ironic.apiUrls',
    kind: 'list',
    flag: '--api-url <urls>',
    isCommon: true,
    help: 'comma-separated URLs of Ironic, or "mdns"; URLs without port and path get port 6385',
    environment: [
      // Of the containers of ironic-image: the URL that Ironic itself gives to agents instead of its own.
      { name: 'IRONIC_EXTERNAL_CALLBACK_URL', profiles: ['default', SCRIPT] },
      { name: 'IRONIC_EXTERNAL_IP', profiles: ['default', SCRIPT] },
      { name: 'IRONIC_BASE_URL' },
      // Of the same containers: addresses, from which the URL is derived.
      { name: 'IRONIC_URL_HOST', profiles: ['default', SCRIPT] },
      { name: 'IRONIC_IP', profiles: ['default', SCRIPT] },
      { name: 'PROVISIONING_IP', profiles: ['default', SCRIPT] },
      { name: 'PROVISIONING_INTERFACE', profiles: ['default', SCRIPT] },
      { name: 'PROVISIONING_MACS', profiles: ['default', SCRIPT] },
    ],
    profiles: ['default', 'icc', 'assisted', SCRIPT],
    parse: checkApiUrls,
    upstream: { ...likeIcc(icc.parseIccApiUrls), [SCRIPT]: parsers.parseScriptUrl },
    options: { api_url: undefined },
  },
  {
    name: 'ironic.port',
    kind: 'port',
    help: 'port for Ironic URLs without a port',
    environment: [{ name: 'IRONIC_ACCESS_PORT' }],
    profiles: ['default', SCRIPT],
    fallback: '6385',
    parse: parsers.parsePort,
  },
  {
    name: 'ironic.inspectionCallbackUrls',
    kind: 'list',
    flag: '--inspection-callback-url <url>',
    alias: '--inspector <url>',
    help: 'inspection callback URL (default: derived by the agent); alias: --inspector',
    profiles: ['default'],
    parse: (text, { flag }) => checkCallbackUrl(text, flag),
    options: { inspection_callback_url: undefined },
  },
  {
    name: 'ironic.inspectorUrls',
    kind: 'list',
    flag: '--inspector-url <urls>',
    help: 'comma-separated URLs of ironic-inspector; /v1/continue is added, and port 5050 to URLs without port and path',
    environment: [{ name: 'IRONIC_INSPECTOR_BASE_URL' }],
    profiles: ['default', 'icc', 'assisted'],
    parse: parseInspectorUrls,
    upstream: likeIcc(icc.parseIccInspectorUrls),
    options: { inspection_callback_url: undefined },
  },
  {
    name: 'ironic.inspectorPort',
    kind: 'port',
    help: 'port for ironic-inspector URLs without a port',
    environment: [{ name: 'IRONIC_INSPECTOR_ACCESS_PORT' }],
    profiles: ['default', SCRIPT],
    fallback: '5050',
    parse: parsers.parsePort,
  },
  {
    name: 'ironic.caFiles',
    kind: 'files',
    flag: '--ca-file <file>',
    isCommon: true,
    help: 'trusted CA certificates (PEM) for Ironic and the registry',
    environment: [{ name: 'CA_BUNDLE', isShared: true }, { name: 'IRONIC_CA_BUNDLE' }],
    profiles: ownAndIcc,
    parse: parsers.parseCertificates,
    upstream: { icc: parsers.checkIccCertificates },
    content: { what: 'CA certificates', isCertificate: true },
    options: { cafile: () => CA_CONTAINER_PATH },
  },
  {
    name: 'ironic.insecure',
    kind: 'switch',
    flag: '--insecure',
    isCommon: true,
    help: "do not verify Ironic's TLS certificate",
    profiles: ['default'],
    options: { insecure: undefined },
  },
  {
    name: 'agent.standalone',
    kind: 'switch',
    flag: '--standalone',
    help: 'run the agent without Ironic: it only serves its API',
    profiles: ['default'],
  },
  {
    name: 'agent.image',
    kind: 'text',
    flag: '--agent-image <ref>',
    isCommon: true,
    help: 'agent container image, e.g. registry.example.com/ironic-agent; required unless --agent-archive is given',
    environment: [{ name: 'IRONIC_AGENT_IMAGE' }],
    // Other profiles have no default: no public image is maintained.
    fallback: 'quay.io/metal3-io/ironic-agent',
    fallbackProfiles: ['buildpy'],
    parse: checkImageReference,
    upstream: likeIcc(icc.checkIccImage),
  },
  {
    name: 'agent.pullPolicy',
    kind: 'text',
    flag: '--pull-policy <policy>',
    help: 'when to pull the image: always, missing, newer or never (default: always)',
    profiles: ['default'],
    fallback: 'always',
    choices: pullPolicies,
  },
  {
    name: 'agent.archive',
    kind: 'file',
    flag: '--agent-archive <file>',
    isCommon: true,
    help: 'agent archive: container image as OCI or docker archive, for hosts without a registry',
    profiles: ['default'],
  },
  {
    name: 'agent.archiveUrl',
    kind: 'text',
    flag: '--archive-url <url>',
    help: 'fetch the agent archive from this URL (default: load it from the live ISO)',
    profiles: ['default'],
    parse: checkArchiveUrl,
  },
  {
    name: 'agent.pullSecret',
    kind: 'file',
    flag: '--pull-secret <file>',
    isCommon: true,
    help: 'registry credentials: JSON with "auths", or its base64',
    environment: [
      { name: 'IRONIC_AGENT_PULL_SECRET', isContent: true },
      { name: 'IRONIC_AGENT_PULL_SECRET_FILE' },
    ],
    isSecret: true,
    profiles: [...ownAndIcc, SCRIPT],
    parse: parsePullSecret,
    upstream: { ...likeIcc(parsers.parseEncodedSecret), [SCRIPT]: parsers.parseEncodedSecret },
    content: {
      what: 'Pull secret',
      noun: 'a pull secret',
      // The text of JSON, or what is its base64 for sure: a name of a file may start like that.
      inline: { noun: 'secret', pattern: /^\s*(?:\{|(?:ey[AJ]|ew[0o])[\w+/\s]{12,}={0,2}\s*$)/ },
    },
  },
  {
    name: 'agent.registriesConf',
    kind: 'file',
    flag: '--registries-conf <file>',
    help: 'registries.conf for podman, e.g. with mirrors',
    environment: [{ name: 'REGISTRIES_CONF_PATH', isShared: true }],
    profiles: ownAndIcc,
    parse: parsers.parseRegistries,
    upstream: { icc: parsers.parseIccRegistries },
    content: { what: 'registries.conf', noun: 'a registries.conf' },
  },
  {
    name: 'agent.insecureRegistry',
    kind: 'switch',
    flag: '--insecure-registry',
    help: "do not verify the registry's TLS certificate",
    profiles: own,
  },
  {
    name: 'agent.options',
    kind: 'texts',
    flag: '--option <line>',
    help: "line for ironic-python-agent.conf: 'key = value' or '[section]'",
    profiles: own,
    parse: parsers.checkOptionLine,
  },
  {
    name: 'agent.confFile',
    kind: 'file',
    flag: '--conf <file>',
    help: 'ironic-python-agent.conf to merge over the generated one',
    profiles: own,
    content: { what: 'Agent conf', noun: 'a configuration file of ironic-python-agent' },
  },
  {
    name: 'agent.vlanInterfaces',
    kind: 'list',
    flag: '--vlan-interfaces <mode>',
    help: 'create VLAN interfaces from LLDP data: always, never, auto (unless a network is configured), or only on the listed interfaces',
    environment: [
      { name: 'IRONIC_AGENT_VLAN_INTERFACES', profiles: ['default', 'icc'] },
      { name: 'IRONIC_INSPECTOR_VLAN_INTERFACES', emptyCountsFor: [SCRIPT], profiles: ['default', SCRIPT] },
    ],
    profiles: [...ownAndIcc, SCRIPT],
    fallback: 'auto',
    fallbackProfiles: ['icc', 'assisted'],
    parse: parsers.parseVlanInterfaces,
    upstream: { ...likeIcc(icc.iccVlanInterfaces), [SCRIPT]: parsers.parseScriptVlans },
    options: { enable_vlan_interfaces: String },
  },
  {
    name: 'agent.hardwareManagers',
    kind: 'files',
    flag: '--hardware-manager <folder>',
    completion: 'folder',
    help: 'folder with a Python module and its NAME.dist-info/entry_points.txt',
    profiles: own,
  },
  {
    name: 'agent.debug',
    kind: 'switch',
    flag: '--debug',
    help: 'write debug messages of the agent to the journal',
    profiles: own,
    options: {
      debug: ifOn,
      // The image may log only to a file, which is unreachable if the agent does not start.
      use_stderr: ifOn,
    },
  },
  {
    name: 'agent.podman.args',
    kind: 'texts',
    flag: '--podman-arg <arg>',
    help: 'argument for podman run, e.g. --volume=/var/lib/data:/data:ro or --env=NAME=VALUE',
    profiles: own,
    parse: parsers.checkPodmanArg,
  },
  {
    name: 'agent.podman.pullArgs',
    kind: 'texts',
    flag: '--podman-pull-arg <arg>',
    help: 'argument for podman pull',
    environment: [{ name: 'IRONIC_AGENT_PODMAN_FLAGS', emptyCountsFor: [SCRIPT] }],
    profiles: [...own, SCRIPT],
    fallback: '--tls-verify=false',
    fallbackProfiles: [SCRIPT],
    parse: parsers.parsePullArgs,
    upstream: { [SCRIPT]: parsers.parseScriptFlags },
  },
  {
    name: 'host.sshKeys',
    kind: 'texts',
    flag: '--ssh-key <key|file>',
    completion: 'file',
    isCommon: true,
    help: 'public SSH key, or file with public keys, for user core',
    environment: [{ name: 'IRONIC_RAMDISK_SSH_KEY', isContent: true }],
    profiles: [...ownAndIcc, SCRIPT],
    parse: parsers.parseKeys,
    upstream: { ...likeIcc(parsers.parseSingleKey), [SCRIPT]: parsers.parseSingleKey },
    content: {
      what: 'SSH public key',
      noun: 'an SSH public key',
      orText: parsers.SSH_KEY,
    },
  },
  {
    name: 'host.passwordHash',
    kind: 'file',
    flag: '--password-hash <file>',
    help: 'file with the password hash of user core, for console login',
    isSecret: true,
    profiles: own,
    parse: parsePasswordHash,
    content: { what: 'Password hash', inline: { noun: 'hash', pattern: /^\$/ } },
  },
  {
    name: 'host.autologin',
    kind: 'switch',
    flag: '--autologin',
    help: 'log in as core on all consoles without a password, for debugging',
    profiles: own,
  },
  {
    name: 'host.consoles',
    kind: 'texts',
    flag: '--console <device>',
    help: 'console device, e.g. ttyS0,115200n8; serial consoles get a login prompt',
    profiles: own,
    parse: (text) => parseSerialConsole(text) ?? [],
  },
  {
    name: 'host.hostname',
    kind: 'text',
    flag: '--hostname <name>',
    isCommon: true,
    help: 'host name, if the network provides none',
    profiles: ownAndIcc,
    parse: parsers.checkHostname,
    upstream: likeIcc(icc.checkIccHostname),
  },
  {
    name: 'host.nmstate',
    kind: 'file',
    flag: '--nmstate <file>',
    isCommon: true,
    help: 'file with the nmstate network configuration of the host',
    profiles: [...ownAndIcc, 'assisted'],
  },
  {
    name: 'host.networkData',
    kind: 'file',
    flag: '--network-data <file>',
    help: 'OpenStack network data of the host (network_data.json), instead of --nmstate',
    profiles: [...ownAndIcc, 'assisted'],
  },
  {
    name: 'host.keyfiles',
    kind: 'files',
    flag: '--keyfile <file>',
    help: 'keyfile for NetworkManager',
    profiles: [...ownAndIcc, 'assisted'],
  },
  {
    name: 'host.copyNetwork',
    kind: 'switch',
    flag: '--copy-network',
    help: 'copy the network of the ramdisk to the installed system (default: if nmstate or keyfiles are given)',
    profiles: own,
  },
  {
    name: 'host.installIpOptions',
    kind: 'text',
    flag: '--install-ip-options <arg>',
    help: 'kernel argument for the installed system, e.g. ip=dhcp6',
    environment: [{ name: 'IP_OPTIONS', isShared: true }],
    profiles: ownAndIcc,
    parse: parsers.checkKernelArgument,
    upstream: likeIcc(icc.checkIccValue),
  },
  {
    name: 'host.ntpServers',
    kind: 'texts',
    flag: '--ntp-server <host>',
    help: 'time server (NTP)',
    environment: [{ name: 'ADDITIONAL_NTP_SERVERS', isShared: true }],
    profiles: ownAndIcc,
    parse: parsers.parseNtpServers,
    upstream: likeIcc(icc.parseIccNtpServers),
    // The agent supports only one server; chrony on the host uses all of them.
    options: { ntp_server: (servers) => (Array.isArray(servers) ? String(servers[0]) : undefined) },
  },
  {
    name: 'proxy.http',
    kind: 'text',
    flag: '--http-proxy <url>',
    help: 'proxy for http:// URLs',
    environment: [{ name: 'HTTP_PROXY', isShared: true }],
    profiles: [...ownAndIcc, 'assisted'],
    parse: parseProxyUrl,
    upstream: likeIcc(icc.checkIccValue),
  },
  {
    name: 'proxy.https',
    kind: 'text',
    flag: '--https-proxy <url>',
    help: 'proxy for https:// URLs',
    environment: [{ name: 'HTTPS_PROXY', isShared: true }],
    profiles: [...ownAndIcc, 'assisted'],
    parse: parseProxyUrl,
    upstream: likeIcc(icc.checkIccValue),
  },
  {
    name: 'proxy.none',
    kind: 'list',
    flag: '--no-proxy <hosts>',
    help: 'comma-separated hosts to reach without a proxy; the hosts of Ironic are always added',
    environment: [{ name: 'NO_PROXY', isShared: true }],
    profiles: [...ownAndIcc, 'assisted'],
    parse: parseNoProxy,
    // Not trimmed.
    upstream: likeIcc((text: string) => icc.checkIccValue(text).split(',')),
  },
  {
    name: 'ignition.files',
    kind: 'texts',
    flag: '--file <path=file>',
    help: 'file to add to the host: PATH=FILE or PATH=FILE,mode=0755',
    profiles: own,
  },
  {
    name: 'ignition.units',
    kind: 'files',
    flag: '--unit <file>',
    help: 'systemd unit to install and enable',
    profiles: own,
  },
  {
    name: 'ignition.discovery',
    kind: 'file',
    flag: '--discovery <file>',
    help: 'discovery config of assisted-service to add the agent to (profile assisted)',
    profiles: ['assisted'],
  },
  {
    name: 'ignition.merge',
    kind: 'files',
    flag: '--merge <file>',
    help: 'additional Ignition config, merged last',
  },
  {
    name: 'ignition.filesDir',
    kind: 'file',
    flag: '--files-dir <folder>',
    help: 'folder of the local files of Butane configs (default: no local file is read)',
  },
  {
    name: 'image.stream',
    kind: 'text',
    help: 'stream of the base images that a host boots, as in --iso STREAM/ARCHITECTURE=FILE (default: the images without a stream)',
  },
  {
    name: 'boot.baseUrl',
    kind: 'text',
    flag: '--base-url <url>',
    isCommon: true,
    help: 'folder URL of ironic-python-agent.kernel, .initramfs and .rootfs; the options for single URLs override it',
  },
  {
    name: 'boot.kernelUrl',
    kind: 'text',
    flag: '--kernel-url <url>',
    help: 'kernel URL for boot scripts',
  },
  {
    name: 'boot.initramfsUrl',
    kind: 'text',
    flag: '--initramfs-url <url>',
    help: 'initramfs URL for boot scripts',
  },
  {
    name: 'boot.rootfsUrl',
    kind: 'text',
    flag: '--rootfs-url <url>',
    help: 'root filesystem URL, fetched by the initramfs',
    environment: [{ name: 'IRONIC_ROOTFS_URL' }],
  },
  {
    name: 'boot.ignitionUrl',
    kind: 'text',
    flag: '--ignition-url <url>',
    isCommon: true,
    help: 'fetch the Ignition config from this URL',
  },
  {
    name: 'boot.embedded',
    kind: 'switch',
    flag: '--embedded',
    isCommon: true,
    help: 'use the Ignition config that is embedded in the initramfs',
  },
  {
    name: 'boot.ip',
    kind: 'texts',
    flag: '--ip <spec>',
    isCommon: true,
    help: 'value of the ip= kernel argument, e.g. dhcp',
  },
  {
    name: 'boot.ipaParameters',
    kind: 'texts',
    flag: '--ipa <name=value>',
    isCommon: true,
    help: 'agent parameter, e.g. debug=1',
  },
  {
    name: 'boot.kernelArguments',
    kind: 'texts',
    flag: '--append <arg>',
    isCommon: true,
    help: 'additional kernel argument',
  },
] as const satisfies readonly (Omit<Setting, 'profiles'> & Partial<Setting>)[];

export type KnownSetting = (typeof table)[number];

export type SettingName = KnownSetting['name'];

/** The value of a setting by its name; undefined if a setting with one value is not given. */
export type SettingValue<N extends SettingName> = ValueOf<Extract<KnownSetting, { readonly name: N }>>;

type ValueOf<S extends KnownSetting> = S['kind'] extends 'switch'
  ? boolean
  : S['kind'] extends 'texts' | 'files'
    ? readonly Flat<Parsed<S>>[]
    : Parsed<S> | undefined;

type Parsed<S> = S extends { readonly choices: readonly (infer C)[] }
  ? C
  : S extends { readonly parse: (text: string, context: never) => infer T }
    ? T
    : string;

type Flat<T> = T extends readonly (infer Item)[] ? Item : T;

export const settingTable: readonly (Setting & { readonly name: SettingName })[] = table.map((setting) => ({
  profiles: profileNames,
  ...setting,
}));
