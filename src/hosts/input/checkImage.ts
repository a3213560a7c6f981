/**
 * Validates live ISOs and initramfs archives: whether they are intact, whether they would boot the agent, and whether the
 * embedded config is valid.
 */

import { located } from '../../core/errors.ts';
import { hasErrors } from '../../core/finding.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { detectKind } from '../../image/imageKind.ts';
import { inspectInitrd, inspectIso } from '../../image/inspection/inspectImage.ts';
import { bytesAccess } from '../../image/overlay.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import type { Io } from '../../io/io.ts';
import type { CheckedFile } from '../../io/report/reporter.ts';
import { refuseCompressed } from './contentKind.ts';
import { checkConfig, type CheckOptions } from './checkConfig.ts';
import { checkInspected } from './imageContents.ts';
import { type ImageInput, readImageSource } from './imageSource.ts';

/**
 * Undefined if the file is not an image.
 * @param content undefined if the file has not been read; of an ISO, only a small part is read
 */
export async function checkIfImage(
  file: string,
  content: Uint8Array | undefined,
  options: CheckOptions,
  io: Io,
): Promise<CheckedFile | undefined> {
  const use = (source: ImageInput): Promise<CheckedFile | undefined> =>
    located({ subject: `${file}:` }, async () => {
      if (source.kind === 'other') await refuseCompressed(source.image);
      return source.kind === 'kernel' || source.kind === 'other' ? undefined : checkImage(source, options);
    });
  if (content === undefined) return readImageSource(file, 'Image', io, use);
  const image = bytesAccess(content);
  return use({ kind: await detectKind(image), name: file, image });
}

async function checkImage(source: ImageInput, options: CheckOptions): Promise<CheckedFile> {
  const { kind, image, name: file } = source;
  const inspection = await (kind === 'iso' ? inspectIso(image) : inspectInitrd(image));
  const document = inspection.files?.get(CONFIG_NAME);
  const checked =
    document === undefined
      ? undefined
      : await checkConfig(document, { ...options, machine: 'live', isEmbedded: true });
  const { findings: ofImage } = await checkInspected(inspection, source, !isRemote(file));
  const findings = ofImage.filter(({ isLint }) => options.lint !== 'none' || isLint !== true);
  for (const finding of checked?.report.findings ?? []) findings.push({ ...finding, member: CONFIG_NAME });
  const valid = !hasErrors(findings) && checked?.report.valid !== false;
  return { file, bytes: new Uint8Array(), ...checked, report: { valid, findings } };
}
