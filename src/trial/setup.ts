/** Reads and checks the options of a trial before any server starts. */

import { quoteText } from '../core/foreignText.ts';
import { checkApiUrls, DEFAULT_IRONIC_PORT } from '../agent/ironicUrl.ts';
import { UsageError } from '../core/errors.ts';
import { parseBaseUrl } from '../hosts/plan/servedPaths.ts';
import { parseListenAddress } from '../http/server/listenAddress.ts';
import type { SuccessStage } from './timeline/result.ts';
import type { ApiPort } from './api/apiEndpoint.ts';
import { type Dependents, refuseUnused } from '../io/report/choices.ts';
import type { TrialOptions } from './options.ts';

export type TrialSetup = Readonly<ReturnType<typeof readTrialSetup>>;

/** The port of Ironic, on loopback only. */
const DEFAULT_LISTEN = '127.0.0.1:6385';

/** @throws UsageError */
export function readTrialSetup(options: TrialOptions) {
  refuseUnused(options, dependents);
  const requiredSteps = readStepNames(options.requireStep ?? []);
  const successStage: SuccessStage = requiredSteps.length > 0 ? 'steps' : options.until;
  const { askBack = 'own' } = options;
  if (successStage !== 'heartbeat' && askBack === 'never') {
    const flag = contactFlags[successStage];
    throw new UsageError(`${flag} requires that agents are contacted, but --ask-back is "never"`, {
      hint: `remove ${flag}, or remove --ask-back never`,
    });
  }
  if (options.publicUrl !== undefined) parseBaseUrl(options.publicUrl, '--public-url');
  const scheme: ApiPort['scheme'] = options.tls === true ? 'https' : 'http';
  return {
    listen: parseListenAddress(options.listen ?? DEFAULT_LISTEN),
    scheme,
    askBack,
    successStage,
    requiredSteps,
    /** Milliseconds. */
    timeout: options.timeout,
    /** Ironic URL for the configs, instead of the one in the inventory. */
    ironicUrl: options.ironicUrl === undefined ? undefined : readIronicUrl(options.ironicUrl),
    format: options.format,
  };
}

/** The options that require an answer of the agent. */
const contactFlags = { callback: '--until callback', steps: '--require-step' } as const;

/** Refuses a stage that an expected emulated machine never reaches, because no connection into its network is possible. */
export function refuseContact(stage: SuccessStage): void {
  if (stage === 'heartbeat') return;
  const flag = contactFlags[stage];
  throw new UsageError(`${flag} requires that agents are contacted, but the emulated machine cannot be`, {
    hint: `remove ${flag}, or expect only real machines with --expect`,
  });
}

/** Names are method names, or for steps that run containers, any name. */
function readStepNames(names: readonly string[]): readonly string[] {
  const invalid = names.find((name) => !/^[A-Za-z0-9_.-]{1,80}$/.test(name));
  if (invalid === undefined) return [...new Set(names)];
  throw new UsageError(`invalid value ${quoteText(invalid)} for --require-step`, {
    hint: 'use the name of one step, for example install_coreos, and repeat the option for further steps',
  });
}

/** With its port, as configs contain it. */
function readIronicUrl(text: string): string {
  const [url = '', ...others] = checkApiUrls(text, {
    flag: '--ironic-url',
    defaultPort: DEFAULT_IRONIC_PORT,
  });
  if (others.length === 0 && URL.canParse(url)) return url;
  throw new UsageError('--ironic-url requires exactly one URL', {
    hint: 'use the URL at which machines reach the mock Ironic, for example http://192.0.2.1:6385',
  });
}

/** Options that have no effect without the first one. */
const dependents: Dependents<keyof TrialOptions> = [
  ['inventory', ['host', 'kernel', 'initramfs', 'rootfs', 'images', 'agentArchive', 'profile']],
  ['inventory', ['artifacts', 'discovery', 'grow', 'keyFile', 'open', 'ironicUrl']],
  ['tls', ['tlsName', 'caOut']],
];
