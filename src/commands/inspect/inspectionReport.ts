/** The report of `inspect` as JSON: all keys are always present, null or empty if they do not apply. */

import { createHash } from 'node:crypto';
import { machineName } from '../../core/architecture.ts';
import { describeConfig } from '../../agent/configLines.ts';
import { withoutThose } from '../../core/lists.ts';
import { maskSetting } from '../../core/masking.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import type { InspectedKargs, IsoInspection } from '../../image/inspection/inspection.ts';
import { splitArguments } from '../../kargs/argument.ts';
import { ADVISED_FOR_AGENT, totalMemory } from '../../image/inspection/memoryNeed.ts';
import { isNetworkPath } from '../../image/networkSettings.ts';
import { sortedByPath } from '../../formats/cpio.ts';
import type { ImageArchive, Inspected, InspectedConfig } from './inspectSource.ts';

/**
 * `ramdisk-iso`: an ISO that `iso create` created from a ramdisk that is not CoreOS. `iso`: any other ISO that is not
 * CoreOS. `archive`: an archive to append to an initramfs. `rootfs`: the root filesystem for network boot.
 * `container-archive`: an archive of container images.
 */
export type ReportedKind =
  | 'live-iso'
  | 'minimal-iso'
  | 'ramdisk-iso'
  | 'iso'
  | 'initramfs'
  | 'rootfs'
  | 'archive'
  | 'ignition'
  | 'container-archive';

/** Sizes and offsets are in bytes, digests in hexadecimal. Secrets are masked. The schema is `schemas/inspect.json`. */
export type InspectionReport = ReturnType<typeof reportInspection>;

export function reportInspection({ file, subject, config, archive, findings }: Inspected) {
  const iso = subject.kind === 'iso' ? subject : undefined;
  const initrd = subject.kind === 'initramfs' ? subject : undefined;
  const { features, files = new Map<string, Uint8Array>() } = iso ?? initrd ?? {};
  const { appended, embedArea } = iso ?? {};
  const kind = kindOf(subject);
  const isCoreOs = !NOT_COREOS.has(kind);
  const hasMemory = isCoreOs || kind === 'container-archive';
  const differences = isCoreOs ? findDifferences(iso, files) : [];
  return {
    file,
    kind,
    size: subject.size,
    label: iso?.label ?? null,
    build: initrd?.build ?? null,
    layout: isCoreOs ? (iso?.layout ?? null) : null,
    architecture: iso?.architecture ?? onlyArchitecture(subject),
    bootLoaders: iso?.bootLoaders ?? [],
    rootfsSize: iso?.rootfsSize ?? null,
    hasMinimalIso: iso?.hasMinimalIso ?? false,
    features:
      isCoreOs && features !== undefined
        ? { ...features, installerDirectives: [...features.installerDirectives].toSorted() }
        : null,
    embedArea:
      embedArea === undefined
        ? null
        : {
            offset: embedArea.offset,
            length: embedArea.length,
            used: embedArea.used,
            free: embedArea.length - embedArea.used,
          },
    archiveSize: subject.kind === 'ignition' ? subject.archiveSize : null,
    files: sortedByPath(files).map(([path, data]) => ({
      path,
      size: data.length,
      sha256: createHash('sha256').update(data).digest('hex'),
    })),
    kernelArguments: iso?.kargs === undefined ? null : reportKargs(iso.kargs),
    network: [...files.keys()].filter(isNetworkPath).toSorted(),
    appended:
      appended === undefined
        ? null
        : { originalSize: appended.originalSize, embedArea: appended.hasGrown, files: appended.files },
    memory: hasMemory ? reportMemory(subject, config, archive) : null,
    ignition: config === undefined ? null : describeInspected(config),
    agentArchive: reportAgentArchive(archive),
    containerArchive: subject.kind === 'container-archive' ? reportContainerArchive(subject) : null,
    pristine: isCoreOs && subject.kind !== 'ignition' ? differences.length === 0 : null,
    differences,
    findings: findings.map(({ severity, rule, message, hint }) => ({
      severity,
      rule,
      message,
      hint: hint ?? null,
    })),
  };
}

/** Kinds that are not a CoreOS live system, or only a part of one. */
const NOT_COREOS: ReadonlySet<ReportedKind> = new Set(['iso', 'archive', 'rootfs', 'container-archive']);

function kindOf(subject: Inspected['subject']): ReportedKind {
  if (subject.kind === 'ignition' || subject.kind === 'container-archive') return subject.kind;
  if (subject.kind === 'iso') {
    if (subject.embedArea === undefined) return 'iso';
    if (subject.features?.otherSystem === true) return 'ramdisk-iso';
    return subject.isMinimal ? 'minimal-iso' : 'live-iso';
  }
  if (subject.build !== undefined) return 'initramfs';
  return subject.hasRootfs ? 'rootfs' : 'archive';
}

/** Null if the archive contains images for several architectures. */
function onlyArchitecture(subject: Inspected['subject']): string | null {
  if (subject.kind !== 'container-archive') return null;
  const [architecture, ...others] = new Set(subject.images.map((image) => machineName(image.architecture)));
  return others.length === 0 ? (architecture ?? null) : null;
}

function reportAgentArchive(archive: Inspected['archive']) {
  if (archive === undefined) return null;
  const { image, name, sha512, size, state, url } = archive;
  return {
    name,
    sha512,
    url: url === undefined ? null : maskSetting(url), // null if the archive is on the medium
    image: image ?? null,
    state,
    size: size ?? null,
  };
}

function reportContainerArchive({ form, images, sha512, unpackedSize }: ImageArchive) {
  const reported = images.map(({ architecture, id, layers, names, os }) => ({
    id,
    names,
    architecture: machineName(architecture),
    os,
    layers: layers.length,
    unpackedSize: layers.reduce((sum, layer) => sum + layer.unpackedSize, 0),
  }));
  return { form, sha512, unpackedSize, images: reported };
}

function findDifferences(iso: IsoInspection | undefined, files: EmbedFiles): string[] {
  const paths = [...files.keys()];
  const { kargs, appended } = iso ?? {};
  const found: readonly (readonly [what: string, isDifferent: boolean])[] = [
    ['Ignition config', files.has(CONFIG_NAME)],
    ['network settings', paths.some(isNetworkPath)],
    ['other embedded files', paths.some((path) => path !== CONFIG_NAME && !isNetworkPath(path))],
    ['reserved area that cannot be read', iso !== undefined && iso.files === undefined],
    ['kernel arguments', kargs !== undefined && kargs.current !== kargs.defaults],
    ['enlarged reserved area', appended?.hasGrown === true],
    ['files on the medium', (appended?.files.length ?? 0) > 0],
  ];
  const contents = found.filter(([, isDifferent]) => isDifferent).map(([what]) => what);
  return [...contents, ...(iso?.leftovers ?? [])];
}

function reportKargs({ current, defaults, length }: InspectedKargs) {
  const before = splitArguments(defaults);
  const after = splitArguments(current ?? defaults);
  const used = current === undefined ? null : Buffer.byteLength(current);
  return {
    // Null if the areas differ or cannot be read.
    current: current === undefined ? null : maskKargs(after).join(' '),
    default: defaults,
    added: maskKargs(withoutThose(after, before)),
    removed: maskKargs(withoutThose(before, after)),
    length,
    used,
    free: used === null ? null : Math.max(0, length - 1 - used), // one byte for the line feed at the end
  };
}

/** Masks each argument separately, because masking hides the rest of a text after a secret. */
export function maskKargs(kargs: readonly string[]): string[] {
  return kargs.map((argument) => maskSetting(argument));
}

/** The recommendation is only for a config whose agent image was not inspected. */
function reportMemory(
  { memory }: Inspected['subject'],
  config: Inspected['config'],
  archive: Inspected['archive'],
) {
  const loaded = archive?.memory ?? [];
  const parts = [...memory, ...loaded];
  if (parts.length === 0) return null;
  const isUnknown = config?.runsAgent === true && loaded.length === 0;
  return { minimum: totalMemory(parts), parts, recommended: isUnknown ? ADVISED_FOR_AGENT : null };
}

function describeInspected({ config, ...facts }: InspectedConfig) {
  return { ...facts, parts: describeConfig(config) };
}
