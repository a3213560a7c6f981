/** The options about the host that is installed, which several `deploy` commands share. */

import type { InstallImage } from './documents/imageSource.ts';
import {
  checkInstalledConfig,
  configOfRamdisk,
  type PlainConfig,
  plainConfig,
} from './documents/installedConfig.ts';
import type { InstallSettings } from './documents/installSettings.ts';
import { CliError, UsageError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { resolveConfig } from '../ignition/effectiveConfig.ts';
import type { Issue } from '../ignition/rule.ts';
import { type ConfigDocument, readConfigDocuments, tellFindings } from '../hosts/input/configDocuments.ts';

/** Under the names that they have on the command line. */
export interface InstallOptions {
  /** Ignition config of the installed host; `-` is standard input. */
  readonly ignition?: string;
  readonly appendKarg?: readonly string[];
  readonly copyNetwork?: boolean;
}

export function installSettings({ appendKarg = [], copyNetwork }: InstallOptions): InstallSettings {
  return { kernelArguments: appendKarg, ...(copyNetwork !== undefined && { copyNetwork }) };
}

export interface InstallImageOptions {
  readonly imageSource?: string;
  readonly imageChecksum?: string;
  readonly imageFormat?: string;
}

/** @throws UsageError where something is said about an image that is not given */
export function imageSource({
  imageSource: url,
  imageChecksum: checksum,
  imageFormat: format,
}: InstallImageOptions): InstallImage | undefined {
  if (url !== undefined) {
    return { url, ...(checksum !== undefined && { checksum }), ...(format !== undefined && { format }) };
  }
  if (checksum === undefined) return undefined;
  throw new UsageError('--image-checksum is given without an image', { hint: 'give --image-source URL too' });
}

/** `readInstalledConfig`, or what remembers its answers. */
export type ReadInstalledConfig = typeof readInstalledConfig;

/**
 * Reads and checks the config for the installed host, telling what Ignition and `install_coreos` have to say about it;
 * undefined where none is asked for.
 * @throws CliError where it is not valid
 */
export async function readInstalledConfig(
  file: string | undefined,
  io: Io,
): Promise<PlainConfig | undefined> {
  if (file === undefined) return undefined;
  const [document] = await readConfigDocuments([file], io);
  if (document === undefined) return undefined;
  const issues = [...checkInstalledConfig(document.config), ...checkInlined(document)];
  const findings = issues.map(({ rule: { id, severity, message, hint }, path }) => ({
    rule: id,
    severity,
    message,
    hint,
    path,
  }));
  tellFindings(findings, document, io);
  if (issues.some(({ rule }) => rule.severity === 'error')) {
    throw new CliError('the config does not fit an installation by install_coreos', {
      hint: 'change what is reported above',
    });
  }
  return plainConfig(document.config);
}

/** Whether a config that is inlined in it runs the agent; told at the reference that leads there. */
function checkInlined({ config, version }: ConfigDocument): readonly Issue[] {
  const effective = resolveConfig({ config, version });
  return checkInstalledConfig(effective.config).flatMap((issue) => {
    const { place } = effective.locate(issue.path);
    const [reference] = place;
    if (issue.rule !== configOfRamdisk || reference === undefined) return [];
    return [
      { ...issue, path: reference.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step)) },
    ];
  });
}
