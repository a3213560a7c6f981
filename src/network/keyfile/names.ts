/** Names and addresses as libnm accepts them. */

/** A name that NetworkManager gives an interface, or finds it by. */
export function isProfileInterface(name: string): boolean {
  const isAccepted = Buffer.byteLength(name) <= 15 && /^[^/:\s%]+$/.test(name);
  return isAccepted && !['.', '..', 'all', 'default', 'bonding_masters'].includes(name);
}

/** Six bytes with one kind of separator; a byte may be one digit. */
export function isMacAddress(text: string): boolean {
  return /^[\da-f]{1,2}([:-])[\da-f]{1,2}(?:\1[\da-f]{1,2}){4}$/i.test(text);
}
