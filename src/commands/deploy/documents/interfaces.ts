/**
 * Which hardware interfaces of nodes a conductor enables by default, and the lines of ironic.conf that enable others. Source: Ironic 39,
 * `ironic/conf/default.py`.
 */

import { DEFAULT_FOLDERS, refuseFile } from '../../../core/conductorFiles.ts';
import type { Finding } from '../../../core/finding.ts';
import { infoRule } from '../../../core/rule.ts';

/** Options of the section `[DEFAULT]`, with the values that Ironic uses without them. */
const enabledByDefault = {
  driver: ['enabled_hardware_types', 'ipmi,redfish'],
  deploy: ['enabled_deploy_interfaces', 'autodetect,direct,ramdisk,bootc'],
  inspect: ['enabled_inspect_interfaces', 'no-inspect,redfish'],
  boot: ['enabled_boot_interfaces', 'ipxe,pxe,redfish-virtual-media'],
} as const;

const lineNeeded = infoRule(
  'ironic-conf-line',
  'the conductor must enable what is off by default',
  'add the line to ironic.conf, unless it is there',
);

/** @param reason what the line enables */
function needLine(section: 'DEFAULT' | 'conductor', line: string, reason: string): Finding {
  return {
    ...lineNeeded,
    path: [],
    message: `the conductor must enable ${reason}: Ironic does not by default`,
    hint: `add to the section [${section}] of ironic.conf, unless it is there: ${line}`,
  };
}

/** Names the lines that enable what a node uses and is off by default, in addition to what is on. */
export function noteDisabled(used: {
  readonly [kind in keyof typeof enabledByDefault]?: string | undefined;
}): readonly Finding[] {
  return (['driver', 'deploy', 'inspect', 'boot'] as const).flatMap((kind) => {
    const [option, names] = enabledByDefault[kind];
    const { [kind]: name } = used;
    if (name === undefined || names.split(',').includes(name)) return [];
    const what = kind === 'driver' ? 'hardware type' : `${kind} interface`;
    return [needLine('DEFAULT', `${option} = ${names},${name}`, `the ${what} ${name}`)];
  });
}

/** Names the line for images that the conductor reads from files outside the folder that is allowed by default. @param urls of all images */
export function noteFolders(urls: readonly string[]): readonly Finding[] {
  const refused = urls.flatMap((url) => refuseFile(url) ?? []);
  const folders = new Set(refused.flatMap(({ folder, isSystem }) => (isSystem ? [] : folder)));
  if (folders.size === 0) return [];
  const line = `file_url_allowed_paths = ${[...DEFAULT_FOLDERS, ...folders].join(',')}`;
  return [needLine('conductor', line, `images in ${[...folders].join(' and ')}`)];
}
