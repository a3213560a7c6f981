// @ts-check
/** What scripts in the field look for on standard error, word for word. Other errors may be in words of our own. */

/** @type {readonly string[]} */
export const soughtPhrases = [
  'too large',
  'already has an embedded Ignition config',
  'No embedded Ignition config',
  'already has embedded network settings',
  'No embedded network settings',
  'kargs too large for area',
  'No karg embed areas found',
  'File exists',
  'wrong final digest',
  'Cannot operate on ISO with embedded customizations',
  'Unrecognized CoreOS ISO image',
  'does not support customizing network settings',
  'does not support customizing installer configuration',
  'does not support customizing live kernel arguments',
  'does not support customizing the destination console',
  'does not support extracting a minimal ISO',
  'already customized',
  'not a CoreOS live initramfs image',
  'already specifies path',
  'already specifies keyfile',
  'parsing Ignition config',
  'parsing installer config',
  'traversal',
  'Wrong input, format should be',
  'multiple input files named',
  "couldn't find Ignition config in archive",
  'forbidden whitespace found in',
];
