/**
 * Values as YAML that readers of YAML 1.1 (PyYAML, Kubernetes) and of 1.2 understand alike: text that either would take
 * for a number, a time or a boolean is quoted. js-yaml is needed by few commands: import this file only there.
 */

import { dump } from 'js-yaml';

/** One document for each value. */
export function formatYaml(documents: readonly unknown[]): string {
  const texts = documents.map((value) => dump(value, { noRefs: true, lineWidth: -1 }));
  return texts.length === 1 ? texts.join('') : texts.map((text) => `---\n${text}`).join('');
}
