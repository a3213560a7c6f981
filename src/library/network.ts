/** `ironic-coreos/network`: descriptions of networks to keyfiles of NetworkManager. */

export type { Position } from '../core/errors.ts';
export type { Finding, Path, Severity } from '../core/finding.ts';
export { convertNmstate } from '../network/convertNmstate.ts';
export type { ConvertedKeyfile, Keyfile, KeyfileConversion } from '../network/convertedKeyfile.ts';
export { convertNetworkData } from '../network/networkData/convertNetworkData.ts';
