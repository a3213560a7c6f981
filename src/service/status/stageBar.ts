/** The boot of a machine as a bar: one part for each stage, in order. */

import { html, type Html } from './html.ts';

/** The stages that users see. The agent calls Ironic in the last one. */
export const bootStages = [
  'media',
  'power',
  'loader',
  'kernel',
  'root filesystem',
  'Ignition',
  'image',
  'agent',
] as const;

export type BootStage = (typeof bootStages)[number];

/**
 * `reached`: an event shows the stage. `passed`: a later stage is reached, but no event shows this one. `running`: the machine
 * is in this stage. `paused`: no transfer is running, but a part was fetched. `stopped`: the machine did not get further.
 * `waiting`: not reached yet.
 */
export type MarkState = 'reached' | 'passed' | 'running' | 'paused' | 'stopped' | 'waiting';

export interface StageMark {
  readonly stage: BootStage;
  readonly state: MarkState;
  /** `35 s`, `50 %`. */
  readonly note?: string | undefined;
}

/** The state is also text, for screen readers and without colours. */
export function stageBar(marks: readonly StageMark[]): Html {
  return html`<ol class="stages" aria-label="Stages of the boot">
    ${marks.map(
      ({ note, stage, state }) =>
        html`<li class="${state}" title="${stateTexts[state]}">
          ${stage}${note === undefined ? undefined : html` <small>${note}</small>`}<span class="hidden"
            >: ${stateTexts[state]}</span
          >
        </li>`,
    )}
  </ol>`;
}

const stateTexts: Readonly<Record<MarkState, string>> = {
  reached: 'reached',
  passed: 'passed, not observed',
  running: 'in progress',
  paused: 'no transfer is running',
  stopped: 'stopped here',
  waiting: 'not reached',
};
