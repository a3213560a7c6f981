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

/**
 * Names of files in /etc that NetworkManager skips: hidden files, backups, temporary files of mkstemp(3) and certificates. It
 * requires no suffix there (`nm_keyfile_utils_ignore_filename` in NetworkManager's nm-keyfile.c).
 */
export function isSkippedFile(name: string): boolean {
  return /^\.|~$|\.[A-Za-z\d]{6}$|.\.(?:pem|der)$/i.test(name);
}

/** Why NetworkManager skips a file of this name in /run, where the keyfiles of the initramfs are. */
export function initramfsNameProblem(name: string): string | undefined {
  if (name.startsWith('.')) return 'its name starts with a period';
  return name.endsWith('.nmconnection') ? undefined : 'its name does not end in .nmconnection';
}

/** A similar name that NetworkManager accepts everywhere. */
export function acceptedName(name: string): string {
  return `${name.replaceAll(/^\.+|~+$|\.nmconnection~*$/g, '')}.nmconnection`;
}
