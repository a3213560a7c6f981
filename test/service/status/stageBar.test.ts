/** The bar of stages as HTML: what users see, and what screen readers read. */

import { describe, expect, it } from 'vitest';
import { stageBar } from '../../../src/service/status/stageBar.ts';

describe('stageBar', () => {
  it.each([
    ['reached', 'reached'],
    ['passed', 'passed, not observed'],
    ['running', 'in progress'],
    ['paused', 'no transfer is running'],
    ['stopped', 'stopped here'],
    ['waiting', 'not reached'],
  ] as const)('%s', (state, text) => {
    const { markup } = stageBar([{ stage: 'kernel', state }]);
    expect(markup.replaceAll(/\s*\n\s*/g, '')).toBe(
      `<ol class="stages" aria-label="Stages of the boot"><li class="${state}" title="${text}">kernel<span class="hidden">: ${text}</span></li></ol>`,
    );
  });

  it('shows the note behind the stage', () => {
    const { markup } = stageBar([{ stage: 'media', state: 'running', note: '50 %' }]);
    expect(markup).toContain('media <small>50 %</small><span class="hidden"');
  });
});
