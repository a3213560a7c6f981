/** Makes the image of an object, and says what has become of it. */

import { CliError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import type { FailedOutcome, Outcome } from './api/outcome.ts';
import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import { type Diagnostic, diagnosticOf } from '../core/diagnostic.ts';
import { formatSentence } from '../io/report/diagnosticText.ts';
import { collectDiagnostics } from '../io/report/report.ts';
import type { Links } from '../serve/links.ts';
import { imageKey } from './imageCatalog.ts';
import type { ImageFactory, BuiltImage } from './imageFactory.ts';
import { type CheckedRequest, buildRequestOf, objectKey, type ReadSecret } from './buildRequest.ts';

export interface BuildTools {
  readonly factory: ImageFactory;
  readonly links: Links;
  readonly readSecret: ReadSecret;
  readonly io: Io;
}

/** @throws ApiError where the Secret cannot be read now */
export async function buildOutcome(image: PreprovisioningImage, tools: BuildTools): Promise<Outcome> {
  const { factory, links, readSecret, io } = tools;
  const ordered = await buildRequestOf(image, factory.possible, readSecret);
  if (ordered.kind === 'failed') return ordered;
  const made = await tryToMake(ordered, factory, io);
  if ('kind' in made) return made;
  const { extraKernelParams, kernelUrl, path, resource } = made;
  const owner = objectKey(image);
  await factory.images.get(imageKey(owner, path), async () => resource); // it will be fetched soon
  const imageUrl = links.url({ kind: 'host', host: owner }, path);
  return { kind: 'ready', imageUrl, kernelUrl, extraKernelParams, attempt: ordered.attempt };
}

async function tryToMake(
  { order, attempt }: CheckedRequest,
  factory: ImageFactory,
  io: Io,
): Promise<BuiltImage | FailedOutcome> {
  const { io: quiet, reported } = collectDiagnostics(io);
  const problems: Diagnostic[] = [];
  try {
    const made = await factory.make(order, quiet);
    if (made !== undefined) return made;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    problems.push(diagnosticOf(error));
  }
  const errors = [...reported, ...problems].filter(({ severity }) => severity === 'error');
  return { kind: 'failed', reason: 'ImageBuildInvalid', message: errors.map(inOneLine).join('\n'), attempt };
}

function inOneLine(diagnostic: Diagnostic): string {
  const sentence = formatSentence(diagnostic);
  return diagnostic.hint === undefined ? sentence : `${sentence} (${diagnostic.hint})`;
}
