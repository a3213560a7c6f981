/** The report of `inspect` as aligned text, without terminal control characters. */

import { largest } from '../../core/lists.ts';
import { formatCount, formatSizeInWords } from '../../formats/messageText.ts';
import type { ArchiveState } from '../../hosts/input/imageRequirements.ts';
import { EMBED_AREA_SIZE } from '../../image/embeddedIgnition.ts';
import type { InspectionReport, ReportedKind } from './inspectionReport.ts';
import { printable } from '../../core/foreignText.ts';
import { displayWidth } from '../../io/report/terminalText.ts';
import { formatDiagnostic } from '../../io/report/diagnosticText.ts';

/** A topic with at least one line. */
type InspectionRow = readonly [topic: string, lines: readonly string[]];

/** The order: what the image is, what it contains, what it boots. */
export function inspectionRows(report: InspectionReport): InspectionRow[] {
  const { differences, files, layout, network, pristine } = report;
  const rows: readonly InspectionRow[] = [
    ['kind', [`${KINDS[report.kind]}${layout === null ? '' : `, layout of Fedora CoreOS ${layout}`}`]],
    ['size', [sizeText(report.size)]],
    ['label', listOf(report.label)],
    ['build', listOf(report.build)],
    ['architecture', listOf(report.architecture)],
    ['boot loaders', listOf(report.bootLoaders.join(', '))],
    ['root filesystem', rootfsLines(report)],
    ['supports', featureLines(report)],
    ['reserved area', areaLines(report)],
    [
      'embedded',
      files.map((one) => `${one.path}, ${sizeText(one.size)}, sha256:${one.sha256.slice(0, 12)}…`),
    ],
    ['kernel arguments', kargsLines(report)],
    ['network', network.map((path) => path.slice(path.lastIndexOf('/') + 1))],
    ['appended', appendixLines(report)],
    ['memory', memoryLines(report)],
    ['Ignition', configLines(report)],
    ['agent archive', agentArchiveLines(report)],
    ['container images', containerLines(report)],
    ['unmodified', pristine === null ? [] : [pristine ? 'yes' : `no, differs in: ${differences.join(', ')}`]],
  ];
  return rows.filter(([, lines]) => lines.length > 0);
}

const KINDS: Readonly<Record<ReportedKind, string>> = {
  'live-iso': 'live ISO of CoreOS',
  'minimal-iso': 'minimal live ISO of CoreOS',
  'ramdisk-iso': 'ISO of a ramdisk that is not CoreOS',
  iso: 'ISO image that is not a live ISO of CoreOS',
  initramfs: 'initramfs of a CoreOS live system',
  rootfs: 'root filesystem of a live system for network boot',
  archive: 'archive to append to an initramfs',
  ignition: 'Ignition config',
  'container-archive': 'archive of container images',
};

/** The exact size and, if it is large, the rounded size. */
function sizeText(bytes: number): string {
  return bytes < EXACT ? formatCount(bytes, 'byte') : `${bytes} bytes (${formatSizeInWords(bytes)})`;
}

const EXACT = 10 * 1024;

function listOf(text: string | null): string[] {
  return text === null || text === '' ? [] : [text];
}

function rootfsLines({ kind, rootfsSize, hasMinimalIso }: InspectionReport): string[] {
  if (kind === 'minimal-iso') return ['not on the medium, fetched from the network'];
  if (rootfsSize === null) return [];
  const minimal = hasMinimalIso ? '; the minimal ISO can be extracted' : '';
  return [`on the medium, ${sizeText(rootfsSize)}${minimal}`];
}

function featureLines({ features, kind }: InspectionReport): string[] {
  if (features === null) return [];
  if (kind === 'ramdisk-iso') return ['kernel arguments and files in the initramfs, but no Ignition'];
  const { liveInitrdNetwork, installerConfig, installerDirectives } = features;
  const keys =
    installerDirectives.length === 0 ? '' : ` with ${formatCount(installerDirectives.length, 'key')}`;
  const lines = [
    ...(liveInitrdNetwork ? ['network settings in the initramfs'] : []),
    ...(installerConfig ? [`installer configuration${keys}`] : []),
  ];
  return lines.length === 0 ? ['neither network settings nor installer configuration'] : lines;
}

function areaLines({ embedArea, archiveSize }: InspectionReport): string[] {
  if (archiveSize !== null) {
    const isTooLarge = archiveSize > EMBED_AREA_SIZE ? '; requires iso ignition embed --grow' : '';
    return [`requires ${archiveSize} of the usual ${EMBED_AREA_SIZE} bytes${isTooLarge}`];
  }
  if (embedArea === null) return [];
  const { length, used, free } = embedArea;
  return [used === 0 ? `empty, ${length} bytes` : `${used} of ${length} bytes used, ${free} free`];
}

function kargsLines({ kernelArguments, embedArea }: InspectionReport): string[] {
  if (kernelArguments === null) return embedArea === null ? [] : ['no reserved area'];
  const { used, length, free, added, removed } = kernelArguments;
  if (used === null) return [`cannot be read; ${length - 1} bytes are reserved`];
  const changes = [...removed.map((text) => `- ${text}`), ...added.map((text) => `+ ${text}`)];
  const isDefault = changes.length === 0 && kernelArguments.current === kernelArguments.default;
  return [
    `${used} of ${length - 1} bytes used, ${free} free${isDefault ? '; default arguments' : ''}`,
    ...changes,
  ];
}

function appendixLines({ appended, size }: InspectionReport): string[] {
  if (appended === null) return [];
  const { originalSize, embedArea, files } = appended;
  return [
    `${sizeText(Math.max(0, size - originalSize))} after the original ${originalSize} bytes`,
    ...(embedArea ? ['enlarged reserved area'] : []),
    ...files.map((file) => `coreos/${file.name} on the medium, ${sizeText(file.size)}`),
  ];
}

function memoryLines({ kind, memory }: InspectionReport): string[] {
  if (memory === null) return [];
  const { minimum, parts, recommended } = memory;
  const besides = kind === 'container-archive' ? ' in addition to the live system, if it is fetched' : '';
  const reasons = parts.map(({ what, bytes }) => `  ${formatSizeInWords(bytes)} for the ${what}`);
  const advice =
    recommended === null
      ? []
      : [`${formatSizeInWords(recommended)} recommended if the agent runs in its container`];
  return [`at least ${formatSizeInWords(minimum)}${besides}`, ...reasons, ...advice];
}

function configLines({ ignition }: InspectionReport): string[] {
  if (ignition === null) return [];
  const { inlinedConfigs, version, runsAgent } = ignition;
  const inlined = inlinedConfigs === 0 ? '' : ` with ${formatCount(inlinedConfigs, 'inlined config')}`;
  return [`config of spec ${version}${inlined}, ${runsAgent ? 'runs the agent' : 'does not run the agent'}`];
}

const STATES: Readonly<Record<ArchiveState, string>> = {
  present: 'on the medium, checksum verified',
  missing: 'not on the medium',
  mismatch: 'on the medium, but does not match the config',
  unchecked: 'on the medium, not verified',
};

function agentArchiveLines({ agentArchive, kind }: InspectionReport): string[] {
  if (agentArchive === null) return [];
  const { image, name, sha512, size, state, url } = agentArchive;
  const isElsewhere = kind === 'ignition' && url === null;
  const place =
    url === null ? (isElsewhere ? `from the medium, coreos/${name}` : STATES[state]) : `from ${url}`;
  return [
    `${name}${size === null ? '' : `, ${sizeText(size)}`}: ${place}`,
    `sha512:${sha512.slice(0, 12)}…`,
    ...(image === null ? [] : [`loaded as ${image}`]),
  ];
}

function containerLines({ containerArchive }: InspectionReport): string[] {
  if (containerArchive === null) return [];
  const { form, images, sha512 } = containerArchive;
  return [
    `${form}, all digests verified, sha512:${sha512.slice(0, 12)}…`,
    ...images.map(
      ({ architecture, id, layers, names, os, unpackedSize }) =>
        `${names.length === 0 ? 'no name' : names.join(', ')}: ${os} on ${architecture}, ` +
        `${formatCount(layers, 'layer')}, ${sizeText(unpackedSize)} unpacked, id ${id.slice(0, 12)}…`,
    ),
  ];
}

/** Width of the column of names; a longer name gets its own line. */
const WIDEST_TOPIC = 28;

/** Formats the whole report; it ends with a line feed. @param form `full` for all lines of the config */
export function formatInspection(report: InspectionReport, form: 'full' | 'text'): string {
  const rows = inspectionRows(report);
  const parts = (report.ignition?.parts ?? []).map(
    ({ owner, lines }) => [owner, form === 'full' ? lines : shorten(lines)] as const,
  );
  const blocks = [
    `${printable(report.file)}\n${formatRows(rows)}`,
    ...(parts.length === 0 ? [] : [`Contents of the config\n${formatRows(parts)}`]),
    ...report.findings.map(({ severity, message, hint, rule }) =>
      formatDiagnostic({ severity, message, rule, hint: hint ?? undefined }),
    ),
  ];
  return blocks.join('\n');
}

const MAX_LINES = 6;

/** The first lines; of a keyfile, its addresses come before its other settings. */
function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  const addresses = lines.filter((line) => ADDRESS.test(line));
  const start = addresses.length === 0 ? 0 : lines.findIndex((line) => line.startsWith('['));
  const others = lines.slice(start).filter((line) => !ADDRESS.test(line));
  const shown = [...lines.slice(0, start), ...addresses, ...others].slice(0, MAX_LINES - 1);
  return [...shown, `and ${lines.length - shown.length} more (--format full)`];
}

/** Lines of a keyfile of NetworkManager, which come after the attributes of the file. */
const ADDRESS = /^\[ipv[46]\] (?:address|gateway|dns\b)/;

function formatRows(rows: readonly InspectionRow[]): string {
  const widths = rows.map(([topic]) => displayWidth(printable(topic)));
  const width = largest(
    widths.filter((each) => each <= WIDEST_TOPIC),
    0,
  );
  return rows
    .flatMap(([topic, lines]) => formatRow(printable(topic), lines.map(printable), width))
    .map((line) => `  ${line}\n`)
    .join('');
}

function formatRow(topic: string, lines: readonly string[], width: number): string[] {
  const margin = ' '.repeat(width + 2);
  const [first = '', ...others] = lines;
  const missing = width - displayWidth(topic);
  if (missing < 0) return [topic, ...lines.map((line) => margin + line)];
  return [`${topic}${' '.repeat(missing + 2)}${first}`, ...others.map((line) => margin + line)];
}
