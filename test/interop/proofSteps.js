// @ts-check
/** What `proof.js` runs, in this order: scripts that write their figures to the file that `--json` names. */

/**
 * @typedef {object} Step
 * @property {string} name for `--only`
 * @property {string} script from the top folder
 * @property {readonly string[]} args of the whole run
 * @property {readonly string[]} small arguments of a try
 * @property {'live.iso'} [needs] is made first, and put before the arguments
 */

/** @type {readonly Step[]} */
export const steps = [
  { name: 'agreement', script: 'test/interop/agreement.js', args: [], small: [] },
  {
    name: 'differential',
    script: 'test/interop/differential.js',
    args: ['--count', '20000'],
    small: ['--count', '200'],
  },
  {
    name: 'installer',
    script: 'test/interop/coreosInstaller.js',
    args: ['--no-build'],
    small: ['--no-build', '--only', 'kargs show', '--image', '2022-02'],
  },
  {
    name: 'confs',
    script: 'test/interop/agentConfs.js',
    args: ['--count', '20000'],
    small: ['--count', '200'],
  },
  {
    name: 'boots',
    script: 'test/interop/boot.js',
    args: [],
    small: ['--variant', 'kargs', '--firmware', 'bios', '--medium', 'cd'],
  },
  { name: 'network-boots', script: 'test/interop/bootFolder.js', args: [], small: [] },
  { name: 'loader-boots', script: 'test/interop/loaderFigures.js', args: [], small: [] },
  { name: 'static-boots', script: 'test/interop/staticBootFigures.js', args: [], small: [] },
  { name: 'agent', script: 'test/interop/agentFigures.js', args: [], small: [] },
  { name: 'chain', script: 'test/interop/chainFigures.js', args: [], small: ['--only', 'profile icc'] },
  { name: 'controller', script: 'test/interop/controllerFigures.js', args: ['1000'], small: ['50'] },
  { name: 'startup', script: 'test/bench/startup.js', args: [], small: [] },
  { name: 'validate', script: 'test/bench/validate.js', args: [], small: [] },
  { name: 'images', script: 'test/bench/images.js', args: [], small: [], needs: 'live.iso' },
  { name: 'prepare', script: 'test/bench/prepare.js', args: [], small: ['20', '2', '20', '1'] },
  { name: 'serve', script: 'test/bench/serve.js', args: [], small: ['64', '100'] },
  {
    name: 'fuzz',
    script: 'test/interop/fuzz.js',
    args: ['--count', '1000000', '--jobs', '2'],
    small: ['--count', '200'],
  },
];

/** Mebibytes of the root filesystem in the image that is made. */
export const rootfsSize = { args: 1100, small: 16 };
