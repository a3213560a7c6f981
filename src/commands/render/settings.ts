/**
 * From the flags of `render` to settings: reads the files that flags name and checks every value, so that each mistake
 * is reported with the name of its flag.
 */

import { parseCaCertificates } from '../../agent/caCertificates.ts';
import { checkApiUrls, checkCallbackUrl, defaultIronicPort, ironicHostUrl } from '../../agent/ironicUrl.ts';
import { parseNtpServers } from '../../agent/ntpServers.ts';
import { parseNoProxy, parseProxyUrl } from '../../agent/proxy.ts';
import { parsePullSecret } from '../../agent/pullSecret.ts';
import { type AgentSettings, defaultSettings, type ProxySettings } from '../../agent/settings.ts';
import { CliError, FormatError, UsageError } from '../../errors.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { checkImageReference } from '../../formats/imageReference.ts';
import type { Io } from '../../io/io.ts';
import { readText } from './textFile.ts';
import type { RenderOptions, Warn } from './options.ts';
import { readSshKeys } from './sshKeys.ts';

interface Context {
  readonly options: RenderOptions;
  readonly io: Io;
  readonly warn: Warn;
}

/** Throws UsageError for the command line and CliError for the files that it names. */
export async function readSettings(options: RenderOptions, io: Io, warn: Warn): Promise<AgentSettings> {
  checkCombination(options);
  const context = { options, io, warn };
  return {
    ...defaultSettings,
    ...ironicSettings(options),
    agentImage: agentImage(options),
    verifyRegistryTls: options.insecureRegistry !== true,
    proxy: proxySettings(context),
    ntpServers: (options.ntpServer ?? []).flatMap((text) =>
      inFlag('--ntp-server', () => parseNtpServers(text)),
    ),
    ...hostnameSetting(options),
    optionLines: (options.option ?? []).map(checkOptionLine),
    ...(await userConfSetting(context)),
    ...(await pullSecretSetting(context)),
    ...(await caSetting(context)),
    sshKeys: await readSshKeys(options, io, warn),
  };
}

const contradictions = [
  [
    'host',
    'apiUrl',
    '--host and --api-url both say where Ironic is',
    'use --api-url, or --host for the config that build.py makes',
  ],
  [
    'host',
    'inspectionCallbackUrl',
    '--host and --inspection-callback-url both say where inspection data go',
    'use --api-url instead of --host',
  ],
  ['host', 'insecure', '--insecure is not combined with --host', 'use --tls insecure'],
  [
    'registry',
    'agentImage',
    '--registry and --agent-image both name the image of the agent',
    'use one of them',
  ],
  ['noSshKey', 'sshKey', '--ssh-key and --no-ssh-key contradict each other', 'use one of them'],
  [
    'tls',
    'apiUrl',
    '--tls is not combined with --api-url',
    'the scheme of the URL says it; --insecure leaves the certificate unverified',
  ],
] as const;

function checkCombination(options: RenderOptions): void {
  for (const [one, other, message, hint] of contradictions) {
    if (options[one] !== undefined && options[other] !== undefined) throw new UsageError(message, { hint });
  }
  if (options.host !== undefined || options.apiUrl !== undefined) return;
  const isForBuildpy =
    options.registry !== undefined || options.tls !== undefined || options.insecureRegistry === true;
  throw new UsageError(
    isForBuildpy
      ? 'where is Ironic? --host is missing (or --api-url)'
      : 'where is Ironic? --api-url is missing',
    { hint: 'for example --api-url https://192.0.2.1:6385' },
  );
}

type IronicSettings = Pick<AgentSettings, 'profile' | 'apiUrls' | 'callbackUrls' | 'verifyIronicTls'>;

function ironicSettings(options: RenderOptions): IronicSettings {
  const { apiUrl = '', host, inspectionCallbackUrl, tls = 'off' } = options;
  if (host === undefined) {
    return {
      profile: 'default',
      apiUrls: checkApiUrls(apiUrl, { flag: '--api-url', defaultPort: defaultIronicPort }),
      callbackUrls:
        inspectionCallbackUrl === undefined
          ? []
          : checkCallbackUrl(inspectionCallbackUrl, '--inspection-callback-url'),
      verifyIronicTls: options.insecure !== true,
    };
  }
  const scheme = tls === 'off' ? 'http' : 'https';
  const inspector = ironicHostUrl(host, { scheme, port: inspectorPort, flag: '--host' });
  return {
    profile: 'buildpy',
    apiUrls: [ironicHostUrl(host, { scheme, port: defaultIronicPort, flag: '--host' })],
    callbackUrls: [`${inspector}/v1/continue`],
    verifyIronicTls: tls !== 'insecure',
  };
}

/** Where build.py expects ironic-inspector, which newer releases of Ironic do without. */
const inspectorPort = 5050;

function agentImage({ agentImage: image, registry }: RenderOptions): string {
  const flag = registry === undefined ? '--agent-image' : '--registry';
  const reference =
    registry === undefined ? (image ?? defaultSettings.agentImage) : `${registry}/ironic-agent`;
  return inFlag(flag, () => checkImageReference(reference));
}

function proxySettings({ options, warn }: Context): ProxySettings {
  const { httpProxy: http, httpsProxy: https, noProxy } = options;
  if (noProxy !== undefined && http === undefined && https === undefined) {
    warn('--no-proxy has no effect without --http-proxy or --https-proxy');
  }
  return {
    ...(http === undefined ? {} : { http: inFlag('--http-proxy', () => parseProxyUrl(http)) }),
    ...(https === undefined ? {} : { https: inFlag('--https-proxy', () => parseProxyUrl(https)) }),
    noProxy: inFlag('--no-proxy', () => parseNoProxy(noProxy ?? '')),
  };
}

function hostnameSetting({ hostname }: RenderOptions): Pick<AgentSettings, 'hostname'> {
  if (hostname === undefined) return {};
  const problem = machineNameProblem(hostname);
  if (problem === undefined) return { hostname };
  throw new UsageError(`--hostname is no name for a host: ${problem}`, {
    hint: 'for example worker-0.example.com',
  });
}

/** The lines are joined to a file, so each has to stay one; the value is left out of messages. */
function checkOptionLine(line: string, index: number): string {
  const flag = `--option (number ${index + 1})`;
  if (/[\r\n]/.test(line)) {
    throw new UsageError(`${flag} has a line break in it`, { hint: 'give one --option for each line' });
  }
  if (/^[ \t]+[^ \t]/.test(line)) {
    throw new UsageError(`${flag} starts with a blank, and would continue the line before it`, {
      hint: 'remove the blank',
    });
  }
  return line;
}

async function userConfSetting({ options, io }: Context): Promise<Pick<AgentSettings, 'userConf'>> {
  if (options.conf === undefined) return {};
  return { userConf: await readText(options.conf, io, 'Conf of the agent') };
}

async function pullSecretSetting({ options, io }: Context): Promise<Pick<AgentSettings, 'pullSecret'>> {
  const { pullSecret: path } = options;
  if (path === undefined) return {};
  if (/^\s*(?:\{|ey[A-Za-z0-9])/.test(path)) {
    // JSON or its base64; an error about a missing file would show it.
    throw new UsageError('--pull-secret takes the path of a file, not the secret', {
      hint: 'write it to a file that only you can read; /dev/stdin works, too',
    });
  }
  const text = await readText(path, io, 'Pull secret (--pull-secret)');
  return { pullSecret: inFile(`--pull-secret: ${path}`, () => parsePullSecret(text)) };
}

async function caSetting({ options, io, warn }: Context): Promise<Pick<AgentSettings, 'caCertificates'>> {
  const { caFile: path } = options;
  if (path === undefined) return {};
  const text = await readText(path, io, 'CA certificates (--ca-file)');
  const { pem, warnings } = inFile(`--ca-file: ${path}`, () => parseCaCertificates(text, new Date()));
  for (const warning of warnings) warn(`--ca-file: ${path}: ${warning}`);
  return { caCertificates: pem };
}

/** Runs a check of a flag's value, and adds the flag to what the check says. */
function inFlag<T>(flag: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new UsageError(`${flag} ${error.message}`, details(error));
  }
}

/** The same for the content of a file, which is no wrong usage. */
function inFile<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${place} ${error.message}`, details(error));
  }
}

function details({ hint }: FormatError): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}
