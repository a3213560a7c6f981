/** The images that the agent's units pull and run. */

import { type ImageReference, parseImageReference } from '../../formats/imageReference.ts';
import type { Issue } from '../../ignition/rule.ts';
import { broken, note, warning } from './lintRule.ts';
import { optionValues } from './podmanCommand.ts';
import type { LintSubject, UnitCommand } from './subject.ts';

export const imageRules = {
  reference: warning(
    'agent-image-reference',
    'podman refuses the reference of the image',
    'write it like quay.io/metal3-io/ironic-agent:latest',
  ),
  argument: warning(
    'agent-image-argument',
    'a word stands behind the image, and the agent takes none',
    'remove it; if it belongs to the image, references have no blanks',
  ),
  shortName: note(
    'agent-image-short-name',
    'the image has no registry: podman takes one that was pulled under any registry, or asks those that it is set up for',
    'write the same reference as in the command that pulls the image',
  ),
  notPulled: warning(
    'agent-image-not-pulled',
    'the unit pulls another image than it runs',
    'write the same reference in both commands',
  ),
  unverified: note(
    'agent-image-unverified',
    'the image comes from a registry that is not verified, and no digest says what it has to be',
    'remove --tls-verify=false, or add the digest to the reference: IMAGE@sha256:…',
  ),
};

export function checkImages(subject: LintSubject): Issue[] {
  const agentUnits = new Set(subject.runs.map(({ unitName }) => unitName));
  const pulls = subject.units
    .filter(({ name }) => agentUnits.has(name))
    .flatMap(({ commands }) => commands.filter(({ podman }) => podman.verb === 'pull'));
  return [
    ...pulls.flatMap((pull) =>
      pull.podman.operands.flatMap(({ text, expands }) => {
        return expands ? [] : checkReference(text, pull);
      }),
    ),
    ...subject.runs.flatMap((run) => checkRun(run, pulls)),
  ];
}

function checkRun(run: UnitCommand, pulls: readonly UnitCommand[]): Issue[] {
  const [image, argument] = run.podman.operands;
  if (image === undefined || image.expands || !run.podman.isSure) return [];
  const hasStrangeArgument = argument !== undefined && !argument.text.startsWith('-');
  return [
    ...checkReference(image.text, run),
    ...(hasStrangeArgument && optionValues(run.podman, 'entrypoint').length === 0
      ? [say(imageRules.argument, run, imageRules.argument.message)]
      : []),
    ...checkPulled(
      image.text,
      run,
      pulls.filter(({ unitName }) => unitName === run.unitName),
    ),
  ];
}

/** Images that are on the host already, which no registry is asked for. */
const localTransport = /^(?:containers-storage|dir|docker-archive|docker-daemon|oci|oci-archive):/;

function checkReference(text: string, command: UnitCommand): Issue[] {
  if (localTransport.test(text)) return [];
  const parsed = parseImageReference(text.replace(/^docker:\/\//, ''));
  if (!parsed.ok) {
    return [say(imageRules.reference, command, `${imageRules.reference.message}: ${parsed.reason}`)];
  }
  const isVerified = !optionValues(command.podman, 'tls-verify').some(({ text: value }) => value === 'false');
  return [
    ...(parsed.reference.registry === undefined
      ? [say(imageRules.shortName, command, imageRules.shortName.message)]
      : []),
    ...(isVerified || parsed.reference.digest !== undefined
      ? []
      : [say(imageRules.unverified, command, imageRules.unverified.message)]),
  ];
}

/** A short name is the same image as a pulled one that ends with it. */
function checkPulled(image: string, run: UnitCommand, pulls: readonly UnitCommand[]): Issue[] {
  const pulled = pulls.flatMap(({ podman }) => podman.operands);
  if (pulled.length === 0 || pulled.some(({ expands }) => expands)) return [];
  const wanted = parseImageReference(image);
  if (!wanted.ok) return [];
  const isPulled = pulled.some(({ text }) => {
    const other = parseImageReference(text);
    return !other.ok || isSameImage(wanted.reference, other.reference);
  });
  return isPulled ? [] : [say(imageRules.notPulled, run, imageRules.notPulled.message)];
}

function isSameImage(wanted: ImageReference, pulled: ImageReference): boolean {
  const isSameTag = (wanted.tag ?? 'latest') === (pulled.tag ?? 'latest') && wanted.digest === pulled.digest;
  if (wanted.registry !== undefined) {
    return isSameTag && wanted.registry === pulled.registry && wanted.repository === pulled.repository;
  }
  return isSameTag && `/${pulled.repository}`.endsWith(`/${wanted.repository}`);
}

function say(rule: typeof imageRules.reference, { unitName, setting }: UnitCommand, what: string): Issue {
  return broken(rule, setting.path, { message: `${unitName}: ${setting.name}=: ${what}` });
}
