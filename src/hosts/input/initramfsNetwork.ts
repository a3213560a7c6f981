/** Checks whether the initramfs of an image has the static network that the config of the image sets up. */

import { keyfilesOf } from '../../agent/hostNetwork.ts';
import { argumentName } from '../../boot/bootSettings.ts';
import type { Config } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import { imageRules } from '../../image/inspection/imageRules.ts';
import { type ImageInspection, splitKargs } from '../../image/inspection/inspection.ts';
import { isNetworkPath } from '../../image/networkSettings.ts';
import { parseConnections } from '../../network/connection.ts';
import { isStatic } from '../../network/reachability.ts';

/** Kernel arguments that configure the network of the initramfs. */
const networkArguments: ReadonlySet<string> = new Set(['ip', 'bond', 'vlan', 'rd.route']);

/** An issue if the initramfs must fetch the root filesystem, but only the config contains the network. */
export function checkInitramfsNetwork(config: Config, inspection: ImageInspection): Issue[] {
  if (!fetchesRootfs(inspection)) return [];
  if ([...(inspection.files?.keys() ?? [])].some(isNetworkPath)) return [];
  return isStatic(parseConnections(keyfilesOf(config)))
    ? [{ rule: imageRules.initramfsNetworkMissing, path: [] }]
    : [];
}

/** False if kernel arguments configure the network; those of an initramfs are unknown. */
function fetchesRootfs(inspection: ImageInspection): boolean {
  if (inspection.kind === 'initramfs') return inspection.build !== undefined && !inspection.hasRootfs;
  const names = splitKargs(inspection.kargs?.current ?? '').map(argumentName);
  return inspection.isMinimal && !names.some((name) => networkArguments.has(name));
}
