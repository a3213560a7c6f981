/** Chooses the profile, and checks which options can be combined. */

import { flagKey } from '../../agent/settingInputs.ts';
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

/** Two options that cannot be combined, and the hint. */
const conflicts = [
  ['--host', '--api-url', 'use --api-url, or --host for the config of build.py'],
  ['--host', '--inspection-callback-url', 'use --api-url instead of --host'],
  ['--insecure', '--host', 'use --tls insecure'],
  ['--registry', '--agent-image', 'use one of them'],
  ['--ssh-key', '--no-ssh-key', 'use one of them'],
  ['--copy-network', '--no-copy-network', 'use one of them'],
  ['--inspector-url', '--inspection-callback-url', 'use one of them'],
  ['--standalone', '--api-url', 'use one of them'],
  [
    '--tls',
    '--api-url',
    'use http:// or https:// in the URL, and --insecure to skip verification of the certificate',
  ],
] as const;

/** @throws UsageError for options that cannot be combined */
export function checkCombination(options: RenderOptions): void {
  const values: Readonly<Record<string, unknown>> = { ...options };
  for (const [one, other, hint] of conflicts) {
    if (values[flagKey(one)] !== undefined && values[flagKey(other)] !== undefined)
      throw new UsageError(`${one} cannot be combined with ${other}`, { hint });
  }
}
