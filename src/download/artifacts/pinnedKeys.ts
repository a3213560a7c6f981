/**
 * The keys that sign CoreOS today. Only fingerprints are kept: key material may come from anywhere, since it counts only
 * if its fingerprint is here. Old keys are left out on purpose, as coreos-installer does; `--gpg-keyring` takes them.
 */

export interface PinnedKey {
  /** Of the primary key: 40 hexadecimal digits, small letters. */
  readonly fingerprint: string;
  readonly owner: string;
}

export const pinnedKeys: readonly PinnedKey[] = [
  { fingerprint: '567e347ad0044ade55ba8a5f199e2f91fd431d51', owner: 'Red Hat (release key 2)' },
  { fingerprint: 'c6e7f081cf80e13146676e88829b606631645531', owner: 'Fedora 43' },
  { fingerprint: '36f612dcf27f7d1a48a835e4dbfcf71c6d9f90a6', owner: 'Fedora 44' },
  { fingerprint: '4f50a6114cd5c6976a7f1179655a4b02f577861e', owner: 'Fedora 45' },
  { fingerprint: 'd924b10d3e810dabdd8b56b596e7e91491211fce', owner: 'Fedora 46' },
];

/** Where Fedora publishes all of its keys. */
export const fedoraKeysUrl = 'https://fedoraproject.org/fedora.pgp';
