/** Chooses the profile, and checks which options can be combined. */

import { type ProfileName, profileNames } from '../../agent/settings.ts';
import { UsageError } from '../../core/errors.ts';
import { parseChoice } from '../../io/report/choices.ts';
import type { RenderOptions } from './options.ts';

/** `--host` selects the profile buildpy. @throws UsageError for an unknown profile */
export function chooseProfile({ host, profile }: RenderOptions): ProfileName {
  const known = parseChoice('--profile', profile, profileNames);
  if (host !== undefined && known !== undefined && known !== 'buildpy') {
    throw new UsageError(`--host cannot be combined with --profile ${known}`, {
      hint: 'use --api-url instead of --host',
    });
  }
  if (known === 'buildpy' && host === undefined) {
    throw new UsageError('--profile buildpy requires --host', {
      hint: 'pass the address of Ironic, for example --host 192.0.2.1 --registry 192.0.2.1:5000',
    });
  }
  return known ?? (host === undefined ? 'default' : 'buildpy');
}

const conflicts = [
  [
    'host',
    'apiUrl',
    '--host cannot be combined with --api-url',
    'use --api-url, or --host for the config of build.py',
  ],
  [
    'host',
    'inspectionCallbackUrl',
    '--host cannot be combined with --inspection-callback-url',
    'use --api-url instead of --host',
  ],
  ['host', 'insecure', '--insecure cannot be combined with --host', 'use --tls insecure'],
  ['registry', 'agentImage', '--registry cannot be combined with --agent-image', 'use one of them'],
  ['noSshKey', 'sshKey', '--ssh-key cannot be combined with --no-ssh-key', 'use one of them'],
  [
    'noCopyNetwork',
    'copyNetwork',
    '--copy-network cannot be combined with --no-copy-network',
    'use one of them',
  ],
  [
    'inspectorUrl',
    'inspectionCallbackUrl',
    '--inspector-url cannot be combined with --inspection-callback-url',
    'use one of them',
  ],
  ['standalone', 'apiUrl', '--standalone cannot be combined with --api-url', 'use one of them'],
  [
    'tls',
    'apiUrl',
    '--tls cannot be combined with --api-url',
    'use http:// or https:// in the URL, and --insecure to skip verification of the certificate',
  ],
] as const;

/** @throws UsageError for options that cannot be combined */
export function checkCombination(options: RenderOptions): void {
  for (const [one, other, message, hint] of conflicts) {
    if (options[one] !== undefined && options[other] !== undefined) throw new UsageError(message, { hint });
  }
}
