/**
 * The images from the environment of image-customization-controller: DEPLOY_ISO, DEPLOY_INITRD and, in newer releases,
 * DEPLOY_KERNEL, with the files for other architectures and streams in the same folder: `ironic-python-agent_aarch64.iso`,
 * `ironic-python-agent-rhel-10.iso`.
 */

import { basename, dirname, extname, join, resolve } from 'node:path';
import { leavesFolder, namesIn } from '../io/files/fileStates.ts';
import { architectures, machineName } from '../core/architecture.ts';
import type { Io } from '../io/io.ts';
import { type ImageOptions, isStreamName } from '../hosts/plan/imageInputs.ts';

/** Options override the environment. */
export async function givenOrIccImages(
  options: ImageOptions,
  env: Io['env'],
  cwd: string,
): Promise<ImageOptions> {
  const { iso = [], kernel = [], initramfs = [], images } = options;
  if (images !== undefined || [...iso, ...kernel, ...initramfs].length > 0) return options;
  const filesOf = async (variable: string): Promise<readonly string[]> => {
    const base = env[variable] ?? '';
    if (base === '') return [];
    const folder = env['IMAGE_SHARED_DIR'] ?? dirname(base);
    const names = await namesIn(resolve(cwd, folder));
    const files = [base];
    for (const { key, name } of variants(base, names)) {
      if (!(await leavesFolder(resolve(cwd, folder), name))) files.push(`${key}=${join(folder, name)}`);
    }
    return files;
  };
  return {
    iso: await filesOf('DEPLOY_ISO'),
    initramfs: await filesOf('DEPLOY_INITRD'),
    kernel: await filesOf('DEPLOY_KERNEL'),
  };
}

/**
 * The options for files with the same name plus a stream, an architecture or both: `NAME-rhel-10.iso`,
 * `NAME_aarch64.iso`, `NAME-rhel-10_aarch64.iso`. A file with only a stream has the architecture of this machine, as for
 * image-customization-controller, which accepts any file name that contains such a name.
 */
function variants(base: string, names: readonly string[]): { readonly key: string; readonly name: string }[] {
  const ending = extname(base);
  const stem = basename(base, ending);
  return names.toSorted().flatMap((name) => {
    if (!name.startsWith(stem) || !name.endsWith(ending)) return [];
    const middle = name.slice(stem.length, name.length - ending.length);
    const architecture = architectures.find((known) =>
      ['_', '.'].some((mark) => middle.endsWith(mark + known)),
    );
    const rest = architecture === undefined ? middle : middle.slice(0, -1 - architecture.length);
    if (rest === '') return architecture === undefined ? [] : [{ key: architecture, name }];
    const stream = rest.slice(1);
    if (!rest.startsWith('-') || !isStreamName(stream)) return [];
    return [{ key: `${stream}/${architecture ?? machineName(process.arch)}`, name }];
  });
}
