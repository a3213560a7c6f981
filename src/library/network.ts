/** `ironic-coreos/network`: descriptions of networks to keyfiles of NetworkManager. */

export type { Finding, Path, Position, Severity } from '../core/finding.ts';
export { convertNmstate, type Keyfile, type KeyfileConversion } from '../network/convertNmstate.ts';
export { convertNetworkData } from '../network/networkData/convertNetworkData.ts';
