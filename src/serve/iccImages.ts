/**
 * The images that the environment of the image-customization-controller names: DEPLOY_ISO, DEPLOY_INITRD and, in newer
 * releases, DEPLOY_KERNEL, with those of other architectures beside them: `ironic-python-agent_aarch64.iso`.
 */

import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { architectures } from '../core/architecture.ts';
import type { Io } from '../io/io.ts';
import type { ImageOptions } from '../hosts/plan/imageInputs.ts';

/** Options count before the environment. */
export async function givenOrIccImages(
  options: ImageOptions,
  io: Pick<Io, 'env' | 'cwd'>,
): Promise<ImageOptions> {
  const { iso = [], kernel = [], initramfs = [], images } = options;
  const isGiven = images !== undefined || [...iso, ...kernel, ...initramfs].length > 0;
  return isGiven ? options : readIccImages(io);
}

/** What the environment names, as the options would. */
async function readIccImages({ env, cwd }: Pick<Io, 'env' | 'cwd'>): Promise<ImageOptions> {
  const filesOf = async (variable: string): Promise<readonly string[]> => {
    const base = env[variable] ?? '';
    if (base === '') return [];
    const folder = env['IMAGE_SHARED_DIR'] ?? dirname(base);
    const names = await readdir(resolve(cwd, folder)).catch(() => []);
    return [base, ...variants(base, names).map(([machine, name]) => `${machine}=${join(folder, name)}`)];
  };
  return {
    iso: await filesOf('DEPLOY_ISO'),
    initramfs: await filesOf('DEPLOY_INITRD'),
    kernel: await filesOf('DEPLOY_KERNEL'),
  };
}

/** Files of the same name with an architecture in it; the peer takes any file in whose name that occurs. */
function variants(base: string, names: readonly string[]): (readonly [architecture: string, name: string])[] {
  const ending = extname(base);
  const stem = basename(base, ending);
  return architectures.flatMap((architecture) =>
    ['_', '.'].flatMap((separator) => {
      const name = `${stem}${separator}${architecture}${ending}`;
      return names.includes(name) ? [[architecture, name] as const] : [];
    }),
  );
}
