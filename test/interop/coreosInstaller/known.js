// @ts-check
/** Where the programs differ knowingly. A difference that no entry explains fails the comparison. */

/** @typedef {import('./compareRuns.js').Difference} Difference */

/**
 * @typedef {object} Known
 * @property {RegExp} command its words
 * @property {readonly string[]} kinds of differences
 * @property {RegExp} [detail] of the difference
 * @property {string} reason
 */

/** @type {readonly Known[]} */
const known = [
  {
    command: /^/,
    kinds: ['words'],
    reason: 'errors that scripts do not look for are in words of our own: no such file, not an ISO, cut off',
  },
  {
    command: /in\/new\.ign/,
    kinds: ['exit code', 'phrase', 'words', 'contents', 'files'],
    reason:
      'configs of newer specs are taken unchecked, with a warning, as the Ignition of the image may know them',
  },
  {
    command: / -a --dashes /,
    kinds: ['exit code', 'contents'],
    reason: 'what follows an option that takes a value is its value, also with dashes',
  },
  {
    command: /--rootfs-url  /,
    kinds: ['exit code', 'files'],
    reason: 'a URL with blanks around it is refused, as the kernel argument would be torn apart',
  },
  {
    command: /--output-rootfs |kargs show minimal/,
    kinds: ['files'],
    detail: /^rootfs\.img is not there/,
    reason: 'an extraction that fails leaves no file behind',
  },
  {
    command: /^iso help$/,
    kinds: ['exit code'],
    detail: /0 and not 2/,
    reason: 'groups of commands have a command help',
  },
];

/**
 * @param {string} command @param {Difference} difference
 * @returns {string | undefined}
 */
export function explain(command, { kind, detail }) {
  return known.find(
    (it) => it.command.test(command) && it.kinds.includes(kind) && (it.detail?.test(detail) ?? true),
  )?.reason;
}
