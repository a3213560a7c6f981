/** Tells whether a NetworkManager keyfile holds a secret. */

/** Keys of connections that NetworkManager treats as secrets, and its sections for those of plugins, e.g. of a VPN. */
const SECRET =
  /^[ \t]*(?:[a-z0-9.-]*(?:password|psk|private-key|preshared-key|wep-key\d|mka-cak|secret|pin)[ \t]*=[ \t]*\S|\[[a-z0-9-]*-secrets\])/m;

/** Whether `text` is a keyfile with a secret; what says only where a secret is kept (`psk-flags`) is none. */
export function hasNetworkSecret(text: string): boolean {
  return SECRET.test(text);
}
