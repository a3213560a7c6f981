/**
 * What an image is and contains, as data, and whether it boots the agent as far as its own contents show. The data contains
 * secrets: mask them before they are shown.
 */

import { argumentName, argumentValue } from '../../boot/bootSettings.ts';
import type { Architecture } from '../../core/architecture.ts';
import type { Issue, Rule } from '../../ignition/rule.ts';
import type { EmbedArea, EmbedFiles } from '../embedArea.ts';
import { CONFIG_NAME } from '../embeddedIgnition.ts';
import type { KargsLayout } from '../kargsAreas.ts';
import type { LiveFeatures } from '../liveFeatures.ts';
import { findKeyfileProblem, isNetworkPath } from '../networkSettings.ts';
import { imageRules } from './imageRules.ts';
import type { MemoryPart } from './memoryNeed.ts';

export type ImageInspection = IsoInspection | InitrdInspection;

/** An ISO 9660 image. What is undefined is not there, or cannot be read, which is one of the issues. */
export interface IsoInspection extends Contents {
  readonly kind: 'iso';
  /** Volume ID. */
  readonly label: string;
  /** No root filesystem is on it. */
  readonly isMinimal: boolean;
  /** Root filesystem on the medium. */
  readonly rootfsSize?: number;
  /** The minimal ISO of the same build can be taken out of it. */
  readonly givesMinimalIso: boolean;
  /** When Fedora CoreOS described its reserved areas as this image does. */
  readonly layout: string;
  readonly architecture?: Architecture;
  /** Those that start it, e.g. `UEFI (GRUB)`. */
  readonly bootLoaders: readonly string[];
  readonly embedArea?: UsedArea;
  readonly kargs?: InspectedKargs;
  readonly appended?: Appended;
  /** What edits that were interrupted have left. */
  readonly leftovers: readonly Leftover[];
}

export type Leftover = 'unfinished edit' | 'volume descriptors' | 'bytes behind the end';

/** An initramfs, or archives that go with one. */
export interface InitrdInspection extends Contents {
  readonly kind: 'initramfs';
  /** The live system that it boots; without, it is not an initramfs of CoreOS. */
  readonly build?: string;
  /** The root filesystem of the live system is in it, too. */
  readonly hasRootfs: boolean;
}

interface Contents {
  /** Bytes. */
  readonly size: number;
  readonly features?: LiveFeatures;
  /** Files that somebody embedded, by path; of an initramfs, those that coreos-installer knows. */
  readonly files?: EmbedFiles;
  /** What a host needs, at least. */
  readonly memory: readonly MemoryPart[];
  readonly issues: readonly Issue[];
}

export interface UsedArea extends EmbedArea {
  /** Bytes of the archive, in whole words; none where the area is empty. */
  readonly used: number;
}

export interface InspectedKargs extends KargsLayout {
  /** Undefined where the areas hold different ones, or none that can be read. */
  readonly current?: string;
}

/** What this program put behind the end of an image. */
export interface Appended {
  /** Bytes of the image before. */
  readonly originalSize: number;
  /** The embed area is one that was appended. */
  readonly hasGrown: boolean;
  /** Files on the medium, with their sizes in bytes. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
}

// Whether an image boots the agent, as far as its own contents tell: is there a config, does Ignition run, is the root
// filesystem found, is the network taken. What the config says is checked elsewhere. Left out: kernel arguments that do
// not decide about that.

/** What matters of a live ISO; undefined is what could not be read, about which nothing more is said. */
export interface BootingIso {
  readonly label: string;
  readonly isMinimal: boolean;
  readonly kargs: string | undefined;
  readonly files: EmbedFiles | undefined;
  readonly features: LiveFeatures | undefined;
}

const FIRST_BOOT = ['ignition.firstboot', 'ignition.platform.id'];

export function checkIso({ label, isMinimal, kargs, files, features }: BootingIso): Issue[] {
  const issues: Issue[] = [];
  if (features?.otherSystem === true) return checkOtherSystem(files, features);
  if (files !== undefined && kargs !== undefined) {
    issues.push(...checkConfig(splitKargs(kargs), files.has(CONFIG_NAME)));
  }
  if (kargs !== undefined) issues.push(...checkRootfs(splitKargs(kargs), { label, isMinimal }));
  if (files !== undefined) issues.push(...checkNetwork(files, features));
  return issues;
}

/** It boots without a config, and without a root filesystem. */
function checkOtherSystem(files: EmbedFiles = new Map(), features: LiveFeatures): Issue[] {
  const unread = files.has(CONFIG_NAME) ? [issueOf(imageRules.configUnread)] : [];
  return [...unread, ...checkNetwork(files, features)];
}

/** The kernel arguments are not known then: boot loaders get them from elsewhere. */
export function checkInitrd(files: EmbedFiles, features: LiveFeatures | undefined): Issue[] {
  const missing = files.has(CONFIG_NAME) ? [] : [issueOf(imageRules.initrdConfigMissing)];
  return [...missing, ...checkNetwork(files, features)];
}

/** Arguments as the kernel separates them, but for quotes. */
export function splitKargs(kargs: string): string[] {
  return kargs.split(/[ \t\n\f\r]+/).filter((argument) => argument !== '');
}

function checkConfig(kargs: readonly string[], isEmbedded: boolean): Issue[] {
  const names = new Set(kargs.map(argumentName));
  const isNamed = names.has('ignition.config.url');
  if (!isEmbedded && !isNamed) return [issueOf(imageRules.configMissing)];
  const missing = FIRST_BOOT.filter((name) => !names.has(name));
  const issues = isEmbedded && isNamed ? [issueOf(imageRules.configTwice)] : [];
  if (missing.length === 0) return issues;
  return [
    ...issues,
    issueOf(imageRules.firstBootMissing, `${imageRules.firstBootMissing.message}: ${missing.join(', ')}`),
  ];
}

function checkRootfs(
  kargs: readonly string[],
  { label, isMinimal }: { readonly label: string; readonly isMinimal: boolean },
): Issue[] {
  if (isMinimal) {
    const isNamed = kargs.some((argument) => argumentName(argument) === 'coreos.live.rootfs_url');
    return isNamed ? [] : [issueOf(imageRules.rootfsMissing)];
  }
  const wanted = kargs.findLast((argument) => argumentName(argument) === 'coreos.liveiso');
  const other = wanted === undefined ? undefined : argumentValue(wanted);
  if (other === undefined || other === label) return [];
  return [
    issueOf(
      imageRules.mediumNotFound,
      `${imageRules.mediumNotFound.message}: ${other}, but this one has ${label}`,
    ),
  ];
}

/** Of archives by themselves, `features` are not known. */
export function checkNetwork(files: EmbedFiles, features: LiveFeatures | undefined): Issue[] {
  const keyfiles = [...files].filter(([path]) => isNetworkPath(path));
  const issues = keyfiles.flatMap(([path, data]) => {
    const problem = findKeyfileProblem(data);
    return problem === undefined
      ? []
      : [
          issueOf(
            imageRules.keyfileUnreadable,
            `${imageRules.keyfileUnreadable.message}: ${path}: ${problem}`,
          ),
        ];
  });
  const isIgnored = keyfiles.length > 0 && features?.liveInitrdNetwork === false;
  return isIgnored ? [issueOf(imageRules.networkNotSupported), ...issues] : issues;
}

function issueOf(rule: Rule, message: string = rule.message): Issue {
  return { rule, path: [], message };
}
