/** `inspect`: describes an image and what it boots, or compares two images, or those of two folders. */

import { UsageError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import { createMasker, type Masker, maskTexts, secretsInUrls } from '../../core/knownSecrets.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { printable } from '../../core/foreignText.ts';
import { asTrouble, report } from '../../io/report/report.ts';
import { jsonBytes } from '../../io/report/choices.ts';
import { compareInspections, type InspectionDifference } from './compareInspections.ts';
import { type InspectionReport, reportInspection } from './inspectionReport.ts';
import { type Inspected, inspectSource } from './inspectSource.ts';
import { formatInspection } from './inspectionRows.ts';
import type { InspectOptions } from './options.ts';
import { pairImages } from './pairImages.ts';

/**
 * For one image, returns 1 if it is damaged. For two images, returns the exit codes of diff(1): 1 if they differ, 2 (or a
 * UsageError) if they cannot be compared.
 */
export async function inspect({ image, other, format: form }: InspectOptions, io: Io): Promise<ExitCode> {
  if (other !== undefined) return compare(image, other, form, io);
  const { document, isDamaged } = await inspectImage(image, io);
  await writeStdout(io, [
    form === 'json' ? jsonBytes(document) : Buffer.from(formatInspection(document, form)),
  ]);
  return isDamaged ? 1 : 0;
}

/** @param image a path, a URL, `-` for standard input, or the bytes */
export async function inspectImage(
  image: string | Uint8Array,
  io: Io,
): Promise<{ readonly document: InspectionReport; readonly isDamaged: boolean }> {
  const inspected = await inspectSource(image, io);
  const mask = typeof image === 'string' ? maskerOf(image) : maskerOf();
  return {
    document: maskTexts(reportInspection(inspected), mask),
    isDamaged: inspected.findings.some(isDamage),
  };
}

async function compare(
  image: string,
  other: string,
  form: InspectOptions['format'],
  io: Io,
): Promise<ExitCode> {
  if (image === '-' && other === '-') {
    throw new UsageError('standard input can be used for only one of the two images', {
      hint: 'use - for one image, and the path of a file for the other',
    });
  }
  try {
    const compared: ComparedPair[] = [];
    let isTrouble = false;
    for (const pair of await pairImages(image, other, io)) {
      const first = pair.first === undefined ? undefined : await inspectSource(pair.first, io);
      const second = pair.second === undefined ? undefined : await inspectSource(pair.second, io);
      const differences = maskTexts(compareInspections(first, second), maskerOf(image, other));
      const names = [first?.file ?? MISSING, second?.file ?? MISSING];
      if (differences.length > 0) compared.push({ file: pair.file, names, differences });
      for (const one of [first, second]) if (one !== undefined && reportDamage(one, io)) isTrouble = true;
    }
    const list = compared.flatMap(({ differences, file }) => differences.map((one) => ({ file, ...one })));
    await writeStdout(io, [form === 'json' ? jsonBytes(list) : Buffer.from(formatText(compared))]);
    if (isTrouble) return 2;
    return compared.length === 0 ? 0 : 1;
  } catch (error) {
    throw asTrouble(error);
  }
}

interface ComparedPair {
  /** Path in both folders; undefined if no folders are compared. */
  readonly file: string | undefined;
  readonly names: readonly string[];
  readonly differences: readonly InspectionDifference[];
}

const MISSING = '(missing)';

function formatText(compared: readonly ComparedPair[]): string {
  return compared
    .flatMap(({ differences, names: [first, second] }) => [
      `--- ${first}`,
      `+++ ${second}`,
      ...differences.flatMap((difference) => [
        difference.topic,
        ...difference.first.map((line) => `  - ${line}`),
        ...difference.second.map((line) => `  + ${line}`),
      ]),
    ])
    .map((line) => `${printable(line)}\n`)
    .join('');
}

/** A server may put the credentials that it got into what it sends. */
function maskerOf(...sources: readonly string[]): Masker {
  return createMasker(secretsInUrls(sources));
}

function reportDamage({ file, findings }: Inspected, io: Io): boolean {
  const damages = findings.filter(isDamage);
  for (const { severity, message, hint, rule } of damages) {
    report(io, { severity, message, hint, rule, at: { file } });
  }
  return damages.length > 0;
}

/** The image cannot be read as a whole; other errors are about what would not start. */
function isDamage({ isLint, severity }: Finding): boolean {
  return severity === 'error' && isLint !== true;
}
