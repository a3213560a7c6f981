import { describe, expect, it } from 'vitest';
import { hasNetworkSecret } from '../../src/agent/files.ts';

const connection = '[connection]\nid=eth0\ntype=ethernet\n\n';

describe('hasNetworkSecret', () => {
  it.each([
    ['a Wi-Fi key', '[wifi-security]\npsk=12345678\n', true],
    ['a key with blanks around', '[wifi-security]\n  psk = 12345678\n', true],
    ['a WEP key', '[wifi-security]\nwep-key0=12345\n', true],
    ['a password of 802.1X', '[802-1x]\npassword=hunter2\n', true],
    ['the bytes of a password of 802.1X', '[802-1x]\npassword-raw=104;117;\n', true],
    ['a password for a key', '[802-1x]\nprivate-key-password=hunter2\n', true],
    ['the key of WireGuard', '[wireguard]\nprivate-key=aGVsbG8=\n', true],
    ['the shared key of a WireGuard peer', '[wireguard-peer.aGk=]\npreshared-key=aGVsbG8=\n', true],
    ['the secrets of a VPN', '[vpn-secrets]\nanything=hunter2\n', true],
    ['a PIN', '[gsm]\npin=1234\n', true],
    ['nothing of the kind', '[ipv4]\nmethod=auto\n', false],
    ['where a key is kept', '[wifi-security]\nkey-mgmt=wpa-psk\npsk-flags=1\n', false],
    ['flags of a shared key', '[wireguard-peer.aGk=]\npreshared-key-flags=4\n', false],
    ['an empty password', '[802-1x]\npassword=\n', false],
    ['a comment', '# psk=12345678\n', false],
  ])('%s', (_title, text, expected) => {
    expect(hasNetworkSecret(`${connection}${text}`)).toBe(expected);
    expect(hasNetworkSecret(`${connection}${text}`.replaceAll('\n', '\r\n'))).toBe(expected);
  });
});
