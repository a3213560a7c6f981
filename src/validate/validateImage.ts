/**
 * What `validate` says of live ISOs and initramfs archives: whether they are whole, whether they would boot the agent, and
 * of the config in them what it says of any other.
 */

import { CliError } from '../core/errors.ts';
import type { Issue } from '../ignition/rule.ts';
import { readEffectiveConfig } from '../ignition/effectiveConfig.ts';
import { CONFIG_NAME } from '../image/embeddedIgnition.ts';
import { detectImageKind } from '../image/imageKind.ts';
import { inspectInitrd } from '../image/inspection/inspectInitrd.ts';
import { inspectIso } from '../image/inspection/inspectIso.ts';
import { bytesAccess } from '../image/overlay.ts';
import { isRemote } from '../io/http/httpUrl.ts';
import type { Io } from '../io/io.ts';
import type { CheckedFile, FileFinding, UncheckedFile } from '../io/report/reporter.ts';
import { checkConfig, type CheckOptions, lintFindings } from '../hosts/input/checkConfig.ts';
import { inspectAgentArchive } from '../hosts/input/deployedArchive.ts';
import { type ImageInput, readImageSource } from '../hosts/input/imageSource.ts';
import { nameInput } from '../hosts/input/nameInput.ts';
import { isValid } from './validateDocument.ts';

/** The limit is that of what comes by a pipe. */
const EXPECTED = { what: 'Image', maxBytes: 256 * 1024 * 1024 };

/**
 * Undefined for what is no image.
 * @param content undefined for a file that has not been read: of an ISO, only a little is
 */
export async function checkIfImage(
  file: string,
  content: Uint8Array | undefined,
  { options, io }: { readonly options: CheckOptions; readonly io: Pick<Io, 'cwd' | 'note' | 'stdin'> },
): Promise<CheckedFile | UncheckedFile | undefined> {
  const use = async (source: ImageInput): Promise<CheckedFile | undefined> =>
    source.kind === 'other' ? undefined : nameInput(file, () => checkImage(source, options));
  try {
    if (content === undefined) return await readImageSource(file, EXPECTED, { io, use });
    const image = bytesAccess(content);
    return await use({ kind: await detectImageKind(image), name: file, image });
  } catch (error) {
    if (error instanceof CliError) return { file, error };
    throw error;
  }
}

async function checkImage(source: ImageInput, options: CheckOptions): Promise<CheckedFile> {
  const { kind, image } = source;
  const { files, issues } = await (kind === 'iso' ? inspectIso(image) : inspectInitrd(image));
  const document = files?.get(CONFIG_NAME);
  const checked =
    document === undefined ? undefined : await checkConfig(document, { ...options, isEmbedded: true });
  const ofArchive = document === undefined ? [] : await archiveIssues(document, source);
  const wanted = [...issues, ...ofArchive].filter(
    ({ rule }) => options.lint !== 'none' || rule.severity === 'error',
  );
  const findings: FileFinding[] = lintFindings(wanted, options);
  for (const finding of checked?.report.findings ?? []) findings.push({ ...finding, member: CONFIG_NAME });
  const valid = findings.every(({ severity }) => severity !== 'error') && checked?.report.valid !== false;
  return {
    file: source.name,
    report: { valid: isValid({ valid, findings }, options), findings },
    bytes: checked?.shown ?? new Uint8Array(),
    ...(checked?.references && { references: checked.references }),
  };
}

/** Whether the medium has what the config loads. */
async function archiveIssues(
  document: Uint8Array,
  { image, kind, name }: ImageInput,
): Promise<readonly Issue[]> {
  const read = readEffectiveConfig(document);
  if (read.status !== 'read') return [];
  const place = { image, kind, isLocal: !isRemote(name) };
  return (await inspectAgentArchive(read.config, place))?.issues ?? [];
}
