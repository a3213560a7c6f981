/** `deploy baremetalhost`: writes the manifests of a host for Metal3. */

import {
  bootModes,
  checkHostSettings,
  cleaningModes,
  holdsSecrets,
  type HostSettings,
  renderHostManifests,
} from '../../deploy/bareMetalHost.ts';
import { stepNames } from '../../deploy/deploySteps.ts';
import { checkImageFormat } from '../../deploy/imageSource.ts';
import type { PlainConfig } from '../../deploy/installedConfig.ts';
import { CliError, FormatError } from '../../errors.ts';
import { readUserFile } from '../../io/files.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { formatManifests, parseChoice, parseFormat, writeDocument } from './deployDocument.ts';
import { tellIssues } from './deployIssues.ts';
import { type HostOptions, type HostRead, readHost } from './hostOptions.ts';
import {
  type ImageOptions,
  imageSource,
  type InstallOptions,
  installSettings,
  readInstalledConfig,
} from './installOptions.ts';

/** The options of the command line, under the names that they have there. */
export interface BareMetalHostOptions extends HostOptions, InstallOptions, ImageOptions {
  readonly namespace?: string;
  /** `NAME-bmc-secret` when it is left out, as in Metal3's examples. */
  readonly bmcCredentialsName?: string;
  readonly userDataName?: string;
  /** Files. */
  readonly nmstate?: string;
  readonly networkData?: string;
  readonly method?: string;
  readonly bootMode?: string;
  readonly cleaning?: string;
  /** `yaml` (default) or `json`. */
  readonly format?: string;
  readonly output?: string;
}

/** Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. */
export async function bareMetalHost(options: BareMetalHostOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat(options.format, ['yaml', 'json']);
  const read = readHost(options);
  const config = await readInstalledConfig(options.ignition, io);
  const settings = await hostSettings(options, { ...read, config }, io);
  const imageIssues = settings.image === undefined ? checkImageFormat(options.imageFormat) : [];
  const issues = [
    ...read.issues,
    ...imageIssues.map((issue) => ({ ...issue, path: ['image', ...issue.path] })),
    ...checkHostSettings(settings),
  ].filter(({ rule, path }) => !isConsequence(rule.id, path, read));
  if (tellIssues(issues, io) !== 0) return 1;
  const text = await formatManifests(renderHostManifests(settings), format);
  await writeDocument(text, { ...options, content: holdsSecrets(settings) ? 'secret' : 'public' }, io);
  return 0;
}

/** What is missing only because it could not be read has been told already. */
function isConsequence(rule: string, path: readonly unknown[], { issues }: HostRead): boolean {
  const unread = new Set(issues.map((issue) => issue.path[0]));
  return (
    (rule === 'bmc-missing' && unread.has('bmc')) ||
    (rule.startsWith('mac-missing') && unread.has('bootMac')) ||
    (rule === 'root-device-missing' && unread.has('rootDevice')) ||
    (rule === 'hint-not-in-metal3' &&
      issues.some((issue) => issue.rule.severity === 'error' && issue.path[1] === path[1]))
  );
}

async function hostSettings(
  options: BareMetalHostOptions,
  { host, config }: HostRead & { readonly config: PlainConfig | undefined },
  io: Io,
): Promise<HostSettings> {
  const bootMode = parseChoice('--boot-mode', options.bootMode, bootModes);
  const cleaning = parseChoice('--automated-cleaning', options.cleaning, cleaningModes);
  const nmstate = await readMapping(options.nmstate, 'nmstate', io);
  const networkData = await readMapping(options.networkData, 'Network data', io);
  const image = imageSource(options);
  return {
    host,
    bmcCredentials: options.bmcCredentialsName ?? `${host.name}-bmc-secret`,
    method: parseChoice('--method', options.method, stepNames) ?? 'install_coreos',
    install: installSettings(options),
    ...(options.namespace !== undefined && { namespace: options.namespace }),
    ...(config !== undefined && { config }),
    ...(options.userDataName !== undefined && { userData: options.userDataName }),
    ...(nmstate !== undefined && { nmstate }),
    ...(networkData !== undefined && { networkData }),
    ...(image !== undefined && { image }),
    ...(bootMode !== undefined && { bootMode }),
    ...(cleaning !== undefined && { cleaning }),
  };
}

/** The text of a YAML or JSON file that holds a mapping, as the receivers of both kinds of network data demand. */
async function readMapping(file: string | undefined, what: string, io: Io): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const bytes = await readUserFile(file, io, { what, maxBytes: 1024 * 1024 });
  const text = Buffer.from(bytes).toString('utf8');
  const { parseYaml } = await import('../../formats/yaml.ts');
  const value = nameFile(file, () => parseYaml(text).value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  throw new CliError(`${file}: ${what} is a YAML mapping, and this is none`, {
    hint: 'is this the right file?',
  });
}

function nameFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${file}: ${error.message}`, {
      cause: error,
      ...(error.hint && { hint: error.hint }),
    });
  }
}
