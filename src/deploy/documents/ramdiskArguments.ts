/**
 * Kernel arguments of the ramdisk in one text, as Ironic's `kernel_append_params` and the standalone operator's
 * `extraKernelParams` take them: what Ironic's own parser refuses (`kernel_parameters.py`), and what CoreOS misses.
 */

import type { Issue, Rule } from '../../ignition/rule.ts';

const ramdiskArgumentSyntax: Rule = {
  id: 'ramdisk-argument-syntax',
  severity: 'error',
  message: 'Ironic refuses an argument',
  hint: 'write NAME or NAME=VALUE with blanks between them; names have letters, digits and - _ . only',
};
const ramdiskArgumentMissing: Rule = {
  id: 'ramdisk-argument-missing',
  severity: 'warning',
  message: 'CoreOS needs more arguments to boot as a ramdisk, unless the conductor is configured with them',
  hint: 'take them from: ironic-coreos pxe kargs --rootfs-url URL --embedded',
};

const needed = ['coreos.live.rootfs_url', 'ignition.firstboot', 'ignition.platform.id'];

/** Paths begin with `arguments`; messages name arguments, whose values may be secret. */
export function checkRamdiskArguments(text: string): readonly Issue[] {
  const words = text.split(' ').filter((word) => word !== '');
  const names = words.map((word) => word.split('=', 1)[0] ?? '');
  const isDefaultKept = words.includes('%default%');
  const missing = isDefaultKept ? [] : needed.filter((name) => !names.includes(name));
  return [
    ...words.flatMap((word, index) => checkWord(word, names[index] ?? '')),
    ...(missing.length > 0
      ? [
          {
            rule: ramdiskArgumentMissing,
            path: ['arguments'],
            message: `${ramdiskArgumentMissing.message}: ${missing.join(', ')}`,
          },
        ]
      : []),
  ];
}

/** `%default%` stands for the arguments of the conductor; what follows `--` is not for the kernel. */
function checkWord(word: string, name: string): readonly Issue[] {
  if (word === '%default%' || word === '--' || /^[\w.-]+(?:=[!#-~]+)?$/.test(word)) return [];
  const isName = /^[\w.-]+$/.test(name);
  const message = isName
    ? `${ramdiskArgumentSyntax.message}: the value of ${name} is empty, or has a quote or other than printable ASCII`
    : ramdiskArgumentSyntax.message;
  return [{ rule: ramdiskArgumentSyntax, path: ['arguments'], message }];
}
