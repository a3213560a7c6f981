/**
 * Whether a machine starts the agent with what it boots: the kernel arguments, the files of the initramfs and the build of the
 * image. One list of checks is for images that are inspected, for edits of images, and for the boots of hosts.
 */

import { checkInsecureArgument } from '../../agent/insecureArgument.ts';
import { checkInstaller, checkInstallerArgument } from '../../agent/installerArgument.ts';
import { FormatError, only } from '../../core/errors.ts';
import { diagnosticAt, type Finding } from '../../core/finding.ts';
import { type EffectiveConfig, readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import type { ImageChange } from '../../image/imageChange.ts';
import { checkNetworkTwice, embedsKeyfiles, issueOf } from '../../image/inspection/imageChecks.ts';
import { imageRules } from '../../image/inspection/imageRules.ts';
import { livePaths } from '../../image/livePaths.ts';
import type { ImageInspection } from '../../image/inspection/inspection.ts';
import type { LiveIso } from '../../image/liveIso.ts';
import type { NetworkFile } from '../../image/networkSettings.ts';
import {
  type GrowthOptions,
  type Rewrite,
  rewriteLiveBytes,
  rewriteLiveIso,
} from '../../imagefile/rewriteImage.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type KernelArgument, parseArguments } from '../../kargs/argument.ts';
import { checkArgumentLine, checkLineNetwork } from '../../kargs/argumentLine.ts';
import type { Need } from '../../network/reachability.ts';
import { checkImageNetwork, checkKeyfileConnections, type NetworkFinding } from './imageNetwork.ts';
import {
  checkInitramfsNetwork,
  checkMounted,
  checkSpecVersions,
  inspectAgentArchive,
  type InspectedArchive,
} from './imageRequirements.ts';
import type { ImageInput } from './imageSource.ts';
import { type CheckChoice, refuseFindings } from './refuse.ts';

/** What a machine boots; undefined parts are unknown. */
export interface BootContents {
  /** All kernel arguments, separated by spaces. */
  readonly kargs?: string | undefined;
  /** Those of them that have been checked before, or that are of the vendor. */
  readonly checkedKargs?: string | undefined;
  /** Arguments that a boot loader adds. */
  readonly addedKargs?: string | undefined;
  /** The files of the initramfs by path: the Ignition config and the network settings. */
  readonly files?: EmbedFiles | undefined;
  /** The version of the build, or the volume ID, which contains it. */
  readonly build?: string | undefined;
  readonly fetchesRootfs?: boolean | undefined;
  readonly isOtherSystem?: boolean | undefined;
  /** Servers that the host needs besides those of the arguments and of the config. */
  readonly needs?: readonly Need[] | undefined;
}

interface ReadContents extends BootContents {
  readonly kargs: string;
  /** Those of a boot loader, too. */
  readonly list: readonly KernelArgument[];
  readonly files: EmbedFiles;
  /** Undefined without a config, and for one that cannot be read, which is reported where it is read. */
  readonly read: EffectiveConfig | undefined;
}

/** @param before the contents before an edit; undefined for an inspection */
type Check = (contents: ReadContents, before: ReadContents | undefined) => readonly NetworkFinding[];

const checks: readonly Check[] = [
  ({ checkedKargs = '', kargs }, before) =>
    before ? checkArgumentLine(`${before.kargs} ${checkedKargs}`, kargs) : checkLineNetwork(kargs),
  ({ files, isOtherSystem, list }) =>
    isOtherSystem === true ? [] : checkNetworkTwice(list, embedsKeyfiles(files)),
  ({ build, read }) => (read === undefined ? [] : checkSpecVersions(read, build)),
  // Files of the installer are in a config, whose own rules report them.
  ({ list, read }, before) =>
    read === undefined ? [] : (before ? checkInstaller : checkInstallerArgument)(list, read.config),
  ({ list, read }) => (read === undefined ? [] : checkInsecureArgument(list, read.config)),
  ({ list, read }) => (read === undefined ? [] : checkMounted(list, read.config)),
  ({ fetchesRootfs, files, list, read }) =>
    fetchesRootfs === true && read !== undefined ? checkInitramfsNetwork(read.config, list, files) : [],
  // Keyfiles that are embedded have been checked where they were read.
  ({ files }, before) => (before === undefined ? checkKeyfileConnections(files) : []),
  ({ files, list, needs, read }) => checkImageNetwork(list, files, read?.config, needs),
  ({ files, isOtherSystem }) =>
    isOtherSystem === true && files.has(CONFIG_NAME) ? [issueOf(imageRules.configUnread)] : [],
];

/**
 * The findings of an inspected image, and the agent archive that its config loads.
 * @param isLocal whether the image is a local file, so that reading a few hundred megabytes is fast
 */
export async function checkInspected(
  inspection: ImageInspection,
  source: ImageInput,
  isLocal: boolean,
): Promise<{ readonly archive: InspectedArchive | undefined; readonly findings: readonly Finding[] }> {
  const contents = readContents(contentsOf(inspection));
  const archive = contents.read && (await inspectAgentArchive(contents.read.config, source, isLocal));
  return { archive, findings: [...inspection.issues, ...findAll(contents), ...(archive?.issues ?? [])] };
}

function findAll(contents: ReadContents, before?: ReadContents): readonly NetworkFinding[] {
  return checks.flatMap((check) => check(contents, before));
}

function readContents(contents: BootContents): ReadContents {
  const { addedKargs = '', files = new Map(), kargs = '' } = contents;
  const document = files.get(CONFIG_NAME);
  const read = document === undefined ? undefined : readEffectiveConfig(document);
  return {
    ...contents,
    files,
    kargs,
    list: parseArguments(`${kargs} ${addedKargs}`),
    read: read?.status === 'read' ? read : undefined,
  };
}

interface CheckContext {
  readonly io: Io;
  readonly options: CheckChoice;
  /** Those of the user, to report findings at the lines that they come from. */
  readonly keyfiles?: readonly NetworkFile[] | undefined;
}

/**
 * Reports what an edit of an image, or what is chosen for a host, brings about; what the image had before is not reported, unless
 * files were embedded: then the user chose all of them.
 * @param before undefined if nothing is known to be there already
 * @throws CliError for an error, which is only a warning if the user does not want checks
 */
export function requireContents(
  contents: BootContents,
  { io, keyfiles = [], options }: CheckContext,
  before: BootContents = {},
): void {
  const known = readContents(before);
  const isChosen = contents.files !== before.files;
  const earlier = new Set(isChosen ? [] : findAll(known, known).map(({ message }) => message));
  const found = findAll(readContents(contents), known).filter(({ message }) => !earlier.has(message));
  const problems = found.map((finding) =>
    diagnosticAt(finding, keyfiles.find(({ name }) => name === finding.file)?.locate?.(finding.line)),
  );
  const code = contents.kargs === before.kargs ? 'ERR_CONFIG_INVALID' : 'ERR_SETTING';
  refuseFindings(problems, { code, options, io });
}

/** A change of an image, with the keyfiles of the user that it embeds. */
export interface Edit extends ImageChange {
  readonly keyfiles?: readonly NetworkFile[];
}

type EditIso = (iso: LiveIso) => Promise<Edit>;

/**
 * Applies an edit to a live ISO, after {@link requireContents} has checked the result.
 * @throws CliError; the image and existing files are then unchanged
 */
export function editLiveIso(rewrite: Rewrite & CheckChoice, edit: EditIso, io: Io): Promise<ExitCode> {
  return rewriteLiveIso(rewrite, checked(edit, rewrite, io), io);
}

/** The same for the bytes of an image; returns those of the changed image. */
export function editLiveBytes(
  image: Uint8Array,
  options: GrowthOptions & CheckChoice,
  edit: EditIso,
  io: Io,
): Promise<Uint8Array> {
  return rewriteLiveBytes(image, options, checked(edit, options, io));
}

function checked(edit: EditIso, options: CheckChoice, io: Io): EditIso {
  return async (iso) => {
    const change = await edit(iso);
    const before = await contentsOfIso(iso);
    const { files = before.files, kargs = before.kargs, keyfiles } = change;
    requireContents({ ...before, files, kargs }, { io, keyfiles, options }, before);
    return change;
  };
}

/** Parts that cannot be read, which only a reset changes, are unknown. */
async function contentsOfIso(iso: LiveIso): Promise<BootContents> {
  const kargs = await ifReadable(iso.kargsAreas());
  return {
    kargs: kargs?.current,
    checkedKargs: kargs?.defaults,
    files: await ifReadable(iso.embeddedFiles()),
    build: iso.label,
    fetchesRootfs: (await ifReadable(iso.tree.find(livePaths.rootfs))) === undefined,
    isOtherSystem: (await ifReadable(iso.features()))?.otherSystem,
  };
}

function ifReadable<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch(only(FormatError, () => undefined));
}

/** The kernel arguments of an initramfs are unknown. */
function contentsOf(inspection: ImageInspection): BootContents {
  const { features, files } = inspection;
  const isOtherSystem = features?.otherSystem;
  if (inspection.kind === 'initramfs') {
    const { build, hasRootfs } = inspection;
    return { files, build, fetchesRootfs: build !== undefined && !hasRootfs, isOtherSystem };
  }
  const { isMinimal, kargs, label } = inspection;
  return { kargs: kargs?.current, files, build: label, fetchesRootfs: isMinimal, isOtherSystem };
}
