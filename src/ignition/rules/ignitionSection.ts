/** The ignition section: sources that must be there. Their own checks run as well, so a bad URL is reported twice. */

import type { IgnitionConfig, Resource, Tls } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { isSince } from '../versions.ts';
import type { SpecVersion } from '../versions.ts';
import { issue, refusal } from './declare.ts';
import { sourceIssue } from './url.ts';

export const ignitionRules = {
  sourceRequired: refusal(
    'source-required',
    'source is required',
    'give the URL to fetch, or remove the entry',
  ),
};

export const checkIgnitionConfig: Check<IgnitionConfig> = ({ merge = [] }, version) =>
  requiredSourceIssues('merge', merge, version);

export const checkTls: Check<Tls> = ({ certificateAuthorities = [] }, version) =>
  requiredSourceIssues('certificateAuthorities', certificateAuthorities, version);

function* requiredSourceIssues(
  field: string,
  resources: readonly Resource[],
  version: SpecVersion,
): Iterable<Issue> {
  if (!isSince(version, '3.1.0')) return;
  for (const [index, { source }] of resources.entries()) {
    const at = [field, index];
    const broken = source ? sourceIssue(source, version, at) : issue(ignitionRules.sourceRequired, at);
    if (broken !== undefined) yield broken;
  }
}
