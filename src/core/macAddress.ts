/** MAC addresses of Ethernet interfaces: six octets. The longer addresses of InfiniBand and FireWire are unsupported. */

/** In lower case with colons, as Ironic stores it, or a clause with the reason why the text is invalid. */
export type MacAddress = { readonly mac: string } | { readonly problem: string };

/** Reads `52:54:00:12:34:56`, with colons or dashes, in any case. */
export function parseMacAddress(text: string): MacAddress {
  if (!/^[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})$/.test(text)) {
    return { problem: 'it is not six pairs of hexadecimal digits separated by colons' };
  }
  const mac = text.toLowerCase().replaceAll('-', ':');
  if (mac === '00:00:00:00:00:00') return { problem: 'it is all zeros' };
  const firstOctet = Number.parseInt(mac.slice(0, 2), 16);
  return firstOctet % 2 === 1 ? { problem: 'it is a multicast address' } : { mac };
}
