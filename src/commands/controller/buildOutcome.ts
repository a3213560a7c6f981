/** Builds the image of an object and returns the outcome for its status. */

import { CliError, type ErrorCode } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import type { Outcome } from './api/outcome.ts';
import { keyText } from '../../kube/objects.ts';
import { type PreprovisioningImage, STREAM_LABEL } from './api/preprovisioningImage.ts';
import { type Diagnostic, diagnosticOf } from '../../core/finding.ts';
import { formatSentence } from '../../io/report/diagnosticText.ts';
import { collectDiagnostics, knownError, report, withoutRepeats } from '../../io/report/report.ts';
import type { Links } from '../../hosts/plan/links.ts';
import { imageKey } from './imageCatalog.ts';
import type { ImageFactory } from './imageFactory.ts';
import { buildRequestOf, type ReadSecret } from './buildRequest.ts';

export async function buildOutcome(
  image: PreprovisioningImage,
  factory: ImageFactory,
  links: Links,
  readSecret: ReadSecret,
  io: Io,
): Promise<Outcome> {
  const request = await buildRequestOf(image, factory.possible, readSecret);
  if (request.kind === 'failed') return request;
  const { attempt } = request;
  const { io: quiet, reported } = collectDiagnostics(io);
  const built = await factory.build(request, quiet).catch((error: unknown) => {
    const known = knownError(error, io);
    if (passing.has(known.code)) return known;
    report(quiet, diagnosticOf(known));
    return undefined;
  });
  if (built instanceof CliError) {
    const message = inOneLine(diagnosticOf(built));
    return { kind: 'failed', reason: 'ControllerError', message, attempt, controllerError: built };
  }
  if (built === undefined) {
    const errors = reported.filter(({ severity }) => severity === 'error');
    const message = errors.map(inOneLine).join('\n');
    return { kind: 'failed', reason: 'ImageBuildInvalid', message, attempt };
  }
  const { extraKernelParams, kernelUrl, path, resource } = built;
  const owner = keyText(image);
  await factory.images.get(imageKey(owner, path), async () => resource); // a client will fetch it soon
  const imageUrl = links.url({ kind: 'host', host: owner }, path);
  const own = withoutRepeats(reported).filter(
    (one) => one.severity === 'warning' && !factory.sharedWarnings.has(formatSentence(one)),
  );
  report(
    io,
    own.map((one) => ({ ...one, host: { name: owner } })),
  );
  const { choice, network } = request;
  const hasOtherStream = image.stream !== undefined && image.stream !== choice.stream;
  const notes = [
    ...(hasOtherStream ? [`the label ${STREAM_LABEL} has no effect: no base image has a stream`] : []),
    ...(network?.unread === undefined
      ? []
      : [`${network.place} has the keys ${network.key} and ${network.unread}; ${network.key} is used`]),
    ...own.map(inOneLine),
  ];
  const note = notes.length === 0 ? undefined : notes.join('; ');
  return { kind: 'ready', imageUrl, kernelUrl, extraKernelParams, note, attempt };
}

/** Problems of this machine and of its network, not of the object: the build is retried. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'ERR_BUSY',
  'ERR_DISK_FULL',
  'ERR_FILE_ACCESS',
  'ERR_FILE_MISSING',
  'ERR_FILE_READ',
  'ERR_FILE_WRITE',
  'ERR_HTTP',
  'ERR_IMAGE_CHANGED',
  'ERR_NETWORK',
]);

/** The message with its hint, as conditions contain it. */
function inOneLine(diagnostic: Diagnostic): string {
  const sentence = formatSentence(diagnostic);
  return diagnostic.hint === undefined ? sentence : `${sentence} (${diagnostic.hint})`;
}
