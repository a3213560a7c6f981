/** Checks whether an image boots the agent, from what was read of it. */

import type { Finding } from '../../core/finding.ts';
import { posix } from 'node:path';
import { append } from '../../core/lists.ts';
import type { Rule } from '../../core/rule.ts';
import { type KernelArgument, parseArguments } from '../../kargs/argument.ts';
import { isNetworkArgument } from '../../kargs/connections.ts';
import { coreosArguments, firstBootNames } from '../../kargs/coreosArguments.ts';
import { initramfsNameProblem } from '../../network/keyfile/names.ts';
import type { EmbedFiles } from '../embedArea.ts';
import { CONFIG_NAME } from '../embeddedIgnition.ts';
import type { LiveFeatures } from '../liveFeatures.ts';
import { findKeyfileProblems, isNetworkPath } from '../networkSettings.ts';
import { imageRules } from './imageRules.ts';

/** The parts of a live ISO that `checkIso` checks. Parts that could not be read are undefined, and are not checked. */
export interface BootingIso {
  readonly label: string;
  readonly isMinimal: boolean;
  readonly kargs: string | undefined;
  readonly files: EmbedFiles | undefined;
  readonly features: LiveFeatures | undefined;
}

/**
 * Checks whether an ISO boots the agent: whether it has a config, Ignition runs, the root filesystem is found, and the network
 * settings are supported. What the contents contradict is not checked here.
 */
export function checkIso({ label, isMinimal, kargs, files, features }: BootingIso): Finding[] {
  const issues: Finding[] = [];
  if (features?.otherSystem === true) {
    // Other ramdisks boot without a config and without a root filesystem.
    return checkNetwork(files ?? new Map(), features);
  }
  if (files !== undefined && kargs !== undefined) {
    append(issues, checkConfig(parseArguments(kargs), files.has(CONFIG_NAME)));
  }
  if (kargs !== undefined) append(issues, checkRootfs(parseArguments(kargs), label, isMinimal));
  if (files !== undefined) append(issues, checkNetwork(files, features));
  return issues;
}

/** The kernel arguments are unknown, because the boot loader gets them from another source. */
export function checkInitrd(files: EmbedFiles, features: LiveFeatures | undefined): Finding[] {
  const missing = files.has(CONFIG_NAME) ? [] : [issueOf(imageRules.initrdConfigMissing)];
  return [...missing, ...checkNetwork(files, features)];
}

function checkConfig(kargs: readonly KernelArgument[], isEmbedded: boolean): Finding[] {
  const names = new Set(kargs.map(({ name }) => name));
  const isNamed = names.has(coreosArguments.configUrl.name);
  if (!isEmbedded && !isNamed) return [issueOf(imageRules.configMissing)];
  const missing = firstBootNames.filter((name) => !names.has(name));
  const issues = isEmbedded && isNamed ? [issueOf(imageRules.configTwice)] : [];
  if (missing.length === 0) return issues;
  return [...issues, issueOf(imageRules.firstBootMissing, missing.join(', '))];
}

function checkRootfs(kargs: readonly KernelArgument[], label: string, isMinimal: boolean): Finding[] {
  if (isMinimal) {
    const isNamed = kargs.some(({ name }) => name === coreosArguments.rootfsUrl.name);
    return isNamed ? [] : [issueOf(imageRules.rootfsMissing)];
  }
  const other = kargs.findLast(({ name }) => name === coreosArguments.liveIso.name)?.value;
  if (other === undefined || other === label) return [];
  const issue = issueOf(imageRules.mediumNotFound, `${other}, label of this image: ${label}`);
  // The default arguments may have the other label, too.
  const isWritable = [other, label].every((text) => /^[\w.:+-]+$/.test(text));
  return [
    isWritable
      ? { ...issue, hint: `use \`iso kargs modify -r ${coreosArguments.liveIso.name}=${other}=${label}\`` }
      : issue,
  ];
}

export function embedsKeyfiles(files: EmbedFiles): boolean {
  return [...files.keys()].some(isNetworkPath);
}

/** `features` is undefined for archives without an initramfs. */
export function checkNetwork(files: EmbedFiles, features: LiveFeatures | undefined): Finding[] {
  const keyfiles = [...files].filter(([path]) => isNetworkPath(path));
  const issues = keyfiles.flatMap(([path, data]) => {
    const problem =
      initramfsNameProblem(posix.basename(path)) ??
      findKeyfileProblems(data).find(({ severity }) => severity === 'error')?.message;
    return problem === undefined ? [] : [issueOf(imageRules.keyfileUnreadable, `${path}: ${problem}`)];
  });
  const isIgnored = keyfiles.length > 0 && features?.liveInitrdNetwork === false;
  return isIgnored ? [issueOf(imageRules.networkNotSupported), ...issues] : issues;
}

/**
 * Embedded keyfiles replace all connections that kernel arguments configure: coreos-copy-firstboot-network.sh deletes the output
 * of nm-initrd-generator before it copies them.
 */
export function checkNetworkTwice(kargs: readonly KernelArgument[], isEmbedded: boolean): Finding[] {
  const names = [...new Set(kargs.filter(isNetworkArgument).map(({ name }) => name))];
  if (names.length === 0 || !isEmbedded) return [];
  return [issueOf(imageRules.networkTwice, names.map((name) => `${name}=`).join(', '))];
}

/** The message of the rule, with what was found. */
export function issueOf(rule: Rule, found?: string): Finding {
  return { ...rule, path: [], message: found === undefined ? rule.message : `${rule.message}: ${found}` };
}
