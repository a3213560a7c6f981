// @ts-check
/** The real ignition-validate, for scripts that compare with it. */

import { spawnSync } from 'node:child_process';

/**
 * $IGNITION_VALIDATE, else `ignition-validate` or `validate` on PATH, if it knows a version of the spec.
 * @param {string} version
 * @returns {string | undefined}
 */
export function findIgnitionValidate(version) {
  const candidates = [process.env['IGNITION_VALIDATE'], 'ignition-validate', 'validate'].filter(
    (name) => name !== undefined,
  );
  return candidates.find(
    (name) => spawnSync(name, ['-'], { input: `{"ignition":{"version":"${version}"}}` }).status === 0,
  );
}
