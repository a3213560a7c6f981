/** The hardware managers of an agent and their steps, as text for users and as JSON for programs. */

import { printable } from '../../io/report/terminalText.ts';
import type { AgentStep, ReportedManager } from '../timeline/events.ts';
import type { HostTimeline } from '../timeline/timeline.ts';

/** Steps with the priority 0 of one hardware manager and type that the report lists by name. */
const MAX_NAMES = 3;

/** One line per hardware manager, or why they are unknown; empty for an agent without a callback URL. */
export function stepLines(host: HostTimeline): readonly string[] {
  const managers = host.steps?.managers ?? [];
  const problem = unreportedProblem(host);
  return problem === undefined ? managers.map(managerLine) : [problem];
}

/** Why the steps of the agent are unknown; undefined if they are known, or if the agent has no callback URL. */
function unreportedProblem({ callback, steps }: HostTimeline): string | undefined {
  if (callback === undefined || (steps !== undefined && steps.managers.length > 0)) return undefined;
  if (steps !== undefined) return `not reported: ${steps.problem ?? 'no hardware manager'}`;
  if (callback.hasAnswered === true) return 'not reported: no response before the end';
  return `not asked: the agent ${callback.hasAnswered === undefined ? 'was not contacted' : 'did not answer'}`;
}

/** `GenericHardwareManager 1.2: clean: erase_devices_metadata (99), 9 with priority 0; deploy: write_image (0)` */
function managerLine({ name, steps, version }: ReportedManager): string {
  const parts = (['clean', 'deploy'] as const).flatMap((type) => {
    const ofType = steps.filter((step) => step.type === type);
    return ofType.length === 0 ? [] : [`${type}: ${stepList(ofType)}`];
  });
  const list = parts.length === 0 ? 'no steps' : parts.join('; ');
  return `${name}${version === undefined ? '' : ` ${version}`}: ${list}`;
}

function stepList(steps: readonly AgentStep[]): string {
  const onRequest = steps.filter(({ priority }) => priority === 0);
  const isLong = onRequest.length > MAX_NAMES;
  const named = (isLong ? steps.filter(({ priority }) => priority !== 0) : steps)
    .toSorted((a, b) => b.priority - a.priority)
    .map(({ priority, step }) => `${step} (${priority})`);
  return [...named, ...(isLong ? [`${onRequest.length} with priority 0`] : [])].join(', ');
}

/** Undefined for an agent without a callback URL. */
export function stepsObject(host: HostTimeline): object | undefined {
  if (host.callback === undefined) return undefined;
  const { managers = [], missing = [] } = host.steps ?? {};
  const problem = unreportedProblem(host);
  return {
    reported: host.steps && managers.length > 0,
    problem: problem === undefined ? undefined : printable(problem),
    missing: missing.map(printable),
    managers: managers.map(managerObject),
  };
}

function managerObject({ name, steps, version }: ReportedManager): object {
  return {
    name: printable(name),
    version: version === undefined ? undefined : printable(version),
    steps: steps.map((step) => ({
      type: step.type,
      step: printable(step.step),
      interface: step.interface === undefined ? undefined : printable(step.interface),
      priority: step.priority,
    })),
  };
}
