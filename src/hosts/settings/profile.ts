/** Whose config is asked for, and what may not be combined with it. */

import { type ProfileName, profileNames } from '../../agent/settings.ts';
import { UsageError } from '../../core/errors.ts';
import { parseChoice } from '../../io/report/choices.ts';
import type { RenderOptions } from './options.ts';

/** build.py's flag selects its profile; the others are asked for. Throws UsageError for an unknown one. */
export function chooseProfile({ host, profile }: RenderOptions): ProfileName {
  const known = parseChoice('--profile', profile, profileNames);
  if (host !== undefined && known !== undefined && known !== 'buildpy') {
    throw new UsageError(`--host is not combined with --profile ${known}`, { hint: 'use --api-url' });
  }
  if (known === 'buildpy' && host === undefined) {
    throw new UsageError('where is Ironic? --profile buildpy needs --host', {
      hint: 'for example --host 192.0.2.1 --registry 192.0.2.1:5000',
    });
  }
  return known ?? (host === undefined ? 'default' : 'buildpy');
}

const contradictions = [
  [
    'host',
    'apiUrl',
    '--host and --api-url both say where Ironic is',
    'use --api-url, or --host for the config that build.py makes',
  ],
  [
    'host',
    'inspectionCallbackUrl',
    '--host and --inspection-callback-url both say where inspection data go',
    'use --api-url instead of --host',
  ],
  ['host', 'insecure', '--insecure is not combined with --host', 'use --tls insecure'],
  [
    'registry',
    'agentImage',
    '--registry and --agent-image both name the image of the agent',
    'use one of them',
  ],
  ['noSshKey', 'sshKey', '--ssh-key and --no-ssh-key contradict each other', 'use one of them'],
  [
    'noCopyNetwork',
    'copyNetwork',
    '--copy-network and --no-copy-network contradict each other',
    'use one of them',
  ],
  [
    'inspectorUrl',
    'inspectionCallbackUrl',
    '--inspector-url and --inspection-callback-url both say where inspection data go',
    'use one of them',
  ],
  [
    'standalone',
    'apiUrl',
    '--standalone is without Ironic, and --api-url says where it is',
    'use one of them',
  ],
  [
    'tls',
    'apiUrl',
    '--tls is not combined with --api-url',
    'the scheme of the URL says it; --insecure leaves the certificate unverified',
  ],
] as const;

/** Throws UsageError for flags that contradict each other. */
export function checkCombination(options: RenderOptions): void {
  for (const [one, other, message, hint] of contradictions) {
    if (options[one] !== undefined && options[other] !== undefined) throw new UsageError(message, { hint });
  }
}
