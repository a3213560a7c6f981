/**
 * Checks whether an image contains what its config requires, the agent archive and the network for the initramfs, and whether
 * its kernel arguments contradict the config.
 */

import { diagnosticAt, type Finding } from '../../core/finding.ts';
import {
  archiveMemory,
  chooseArchivedImage,
  type DeployedArchive,
  findDeployedArchive,
} from '../../agent/agentArchive.ts';
import { checkInstaller, checkInstallerArgument } from '../../agent/installerArgument.ts';
import { checkInsecureArgument } from '../../agent/insecureArgument.ts';
import { FormatError } from '../../core/errors.ts';
import { readContainerArchive } from '../../formats/containerArchive.ts';
import type { Config } from '../../ignition/config.ts';
import { type EffectiveDocument, readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { type Rule } from '../../core/rule.ts';
import { ignitionRelease, newestSpecOf } from '../../image/ignitionSpec.ts';
import { isSince } from '../../ignition/versions.ts';
import { sourceOfImage } from '../../image/initrd.ts';
import { archiveProblems, imageRules } from '../../image/inspection/imageRules.ts';
import type { MemoryPart } from '../../image/inspection/memoryNeed.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { type RandomAccess, slice } from '../../image/overlay.ts';
import type { Io } from '../../io/io.ts';
import { REFERENCE_SEPARATOR } from '../../io/report/reporter.ts';
import type { ImageInput } from './imageSource.ts';
import { type CheckChoice, refuseFindings, wantsCheck } from './refuse.ts';
import { checkArgumentLine } from '../../kargs/argumentLine.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import { checkNetworkTwice, embedsKeyfiles } from '../../image/inspection/imageChecks.ts';
import { keyfilesOf } from '../../agent/hostNetwork.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';
import type { ImageInspection } from '../../image/inspection/inspection.ts';
import { type KernelArgument, parseArguments } from '../../kargs/argument.ts';
import { isNetworkPath } from '../../image/networkSettings.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import { isStatic } from '../../network/reachability.ts';

/**
 * `present`: the ISO contains the archive, and its digest matches. `other`: the ISO contains a different file with that
 * name. `unchecked`: the archive is fetched, the ISO is unknown, or reading it would take too long.
 */
export type ArchiveState = 'present' | 'missing' | 'mismatch' | 'unchecked';

export interface InspectedArchive extends DeployedArchive {
  readonly state: ArchiveState;
  /** Bytes, if it is on the ISO. */
  readonly size?: number;
  /** Memory that it needs on a host, if it was read. */
  readonly memory: readonly MemoryPart[];
  readonly issues: readonly Finding[];
}

/**
 * Undefined if the config loads no archive.
 * @param source the image that contains the config
 * @param isLocal whether the image is a local file, so that reading a few hundred megabytes is fast
 */
export async function inspectAgentArchive(
  config: Config,
  { image, kind }: ImageInput,
  isLocal: boolean,
): Promise<InspectedArchive | undefined> {
  const deployed = findDeployedArchive(config);
  if (deployed === undefined) return undefined;
  const nothing = { ...deployed, memory: [], issues: [] };
  // A config without an image may be for any ISO.
  if (deployed.url !== undefined || kind === 'other') return { ...nothing, state: 'unchecked' };
  const entry = kind === 'iso' ? await (await openIsoTree(image)).find(`coreos/${deployed.name}`) : undefined;
  if (entry?.kind !== 'file')
    return { ...nothing, state: 'missing', issues: [issueOf(archiveProblems.missing)] };
  const { offset, size } = entry;
  if (!isLocal) return { ...nothing, state: 'unchecked', size };
  return { ...deployed, size, ...(await checkFile(deployed, slice(image, { offset, length: size }))) };
}

async function checkFile(
  { image, sha512 }: DeployedArchive,
  file: RandomAccess,
): Promise<Pick<InspectedArchive, 'state' | 'memory' | 'issues'>> {
  try {
    const content = await readContainerArchive(sourceOfImage(file));
    if (content.sha512 !== sha512)
      return { state: 'mismatch', memory: [], issues: [issueOf(archiveProblems.other)] };
    const memory = archiveMemory(content, chooseArchivedImage(content, image).image, {});
    return { state: 'present', memory, issues: [] };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const issue = issueOf(
      archiveProblems.unreadable,
      `${archiveProblems.unreadable.message}: it ${error.message}`,
    );
    return { state: 'mismatch', memory: [], issues: [issue] };
  }
}

function issueOf(rule: Rule, message: string = rule.message): Finding {
  return { ...rule, path: [], message };
}

/** The build of an image, which its Ignition is of; undefined for other images than those of CoreOS. */
export function buildOf(inspection: ImageInspection): string | undefined {
  return inspection.kind === 'iso' ? inspection.label : inspection.build;
}

/** Kernel arguments of an ISO that contradict its config; those of an initramfs are unknown. */
export function checkImageArguments(config: Config, inspection: ImageInspection): Finding[] {
  if (inspection.kind !== 'iso') return [];
  const kargs = parseArguments(inspection.kargs?.current ?? '');
  const issues = [...checkInsecureArgument(kargs, config), ...checkInstallerArgument(kargs, config)];
  const archive = findDeployedArchive(config);
  return archive === undefined || archive.url !== undefined ? issues : [...issues, ...checkMounted(kargs)];
}

/** The arguments with which the live system does not see the archive on the medium. */
function checkMounted(kargs: readonly KernelArgument[]): Finding[] {
  const { name } = coreosArguments.fromRam;
  const argument = kargs.find((one) => one.name === name);
  if (argument === undefined) return [];
  const message = `with ${name} the live system unmounts the medium with the agent archive: the agent does not start`;
  return [
    { ...archiveProblems.missing, path: [], message, hint: `use \`iso kargs modify -d ${argument.text}\`` },
  ];
}

/** A config, and the configs that it inlines, with spec versions that the Ignition of the build cannot read. */
export function checkSpecVersions(
  { inlined, version }: EffectiveDocument,
  build: string | undefined,
): Finding[] {
  const newest = build === undefined ? undefined : newestSpecOf(build);
  if (newest === undefined) return [];
  const { specUnsupported: rule } = imageRules;
  const configs = [
    { name: 'the config', version },
    ...inlined.flatMap(({ place, read }) =>
      read.status === 'read' ? [{ name: place.join(REFERENCE_SEPARATOR), version: read.version }] : [],
    ),
  ];
  return configs
    .filter((config) => config.version !== newest && isSince(config.version, newest))
    .map((config) => {
      const release = ignitionRelease(config.version);
      return {
        ...rule,
        path: ['ignition', 'version'],
        message: `${rule.message}: ${config.name} has version ${config.version}, which requires Ignition ${release}; ${build} is older`,
        hint: `use a newer image, or translate the config: \`ironic-coreos ignition translate --to ${newest}\``,
      };
    });
}

/** What a config meets on the machine; undefined parts are unknown. */
export interface ConfigHost {
  readonly kargs?: readonly KernelArgument[];
  /** The version of the image's build, or its volume ID. */
  readonly build?: string | undefined;
}

/**
 * Refuses an image or a boot script with which the agent of its config does not start: the installer starts in its place, or the
 * Ignition of the image cannot read the config. Reports kernel arguments that turn verification off.
 * @param document the config of the machine; one that cannot be read has been reported, or may be anything (`--no-validate`)
 * @throws CliError
 */
export function refuseForImage(
  document: Uint8Array | undefined,
  { build, kargs = [] }: ConfigHost,
  { io, options }: { readonly io: Io; readonly options: CheckChoice },
): void {
  const read = document === undefined ? undefined : readEffectiveConfig(document);
  if (read?.status !== 'read' || !wantsCheck(options, io)) return;
  const problems = [
    ...checkInsecureArgument(kargs, read.config),
    ...checkInstaller(kargs, read.config),
    ...checkSpecVersions(read, build),
  ];
  const code = 'ERR_CONFIG_INVALID';
  refuseFindings(
    problems.map((problem) => diagnosticAt(problem)),
    { code, options, io },
  );
}

/** The kernel arguments of an image before and after an edit, and its embedded files after it. */
interface EditedArguments {
  readonly before: string;
  readonly after: string;
  readonly files: EmbedFiles;
}

/** Refuses arguments that an edit adds, and those that contradict the embedded keyfiles. @throws CliError */
export function refuseArguments(
  { after, before, files }: EditedArguments,
  options: CheckChoice,
  io: Io,
): void {
  const problems = [
    ...checkArgumentLine(before, after),
    ...checkNetworkTwice(parseArguments(after), embedsKeyfiles(files)),
  ];
  refuseFindings(
    problems.map((problem) => diagnosticAt(problem)),
    { code: 'ERR_SETTING', options, io },
  );
}

/** Kernel arguments that configure the network of the initramfs. */
const networkArguments: ReadonlySet<string> = new Set(['ip', 'bond', 'vlan', 'rd.route']);

/** An issue if the initramfs must fetch the root filesystem, but only the config contains the network. */
export function checkInitramfsNetwork(config: Config, inspection: ImageInspection): Finding[] {
  if (!fetchesRootfs(inspection)) return [];
  if ([...(inspection.files?.keys() ?? [])].some(isNetworkPath)) return [];
  return isStatic(readConnections(keyfilesOf(config)))
    ? [{ ...imageRules.initramfsNetworkMissing, path: [] }]
    : [];
}

/** False if kernel arguments configure the network; those of an initramfs are unknown. */
function fetchesRootfs(inspection: ImageInspection): boolean {
  if (inspection.kind === 'initramfs') return inspection.build !== undefined && !inspection.hasRootfs;
  const list = parseArguments(inspection.kargs?.current ?? '');
  return inspection.isMinimal && !list.some(({ name }) => networkArguments.has(name));
}
