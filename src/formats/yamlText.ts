/**
 * Values as YAML that readers of YAML 1.1 (PyYAML, Kubernetes) and of 1.2 understand alike: text that either would take
 * for a number, a time or a boolean is quoted. js-yaml is needed by few commands: import this file only there.
 */

import { DEFAULT_SCALAR_STYLE_RULES, dump, type DumpOptions, SCALAR_STYLE } from 'js-yaml';

/** Go's YAML parser, which Kubernetes uses, ignores `_` in numbers, and the case of their letters (yaml.v2, resolve.go). */
function isNumberInGo(text: string): boolean {
  const number = /^[-+]?(?:0[xob]-?[\da-f]+|\d*\.?\d*(?:e[-+]?\d+)?)$/i;
  return /^[-+.\d]/.test(text) && number.test(text.replaceAll('_', ''));
}

const options: DumpOptions = {
  noRefs: true,
  lineWidth: -1,
  scalarStyleRules: [
    ...Object.values(DEFAULT_SCALAR_STYLE_RULES),
    (layout) => {
      const { style, node } = layout;
      const isPlainText = style === SCALAR_STYLE.PLAIN && node.tag === 'tag:yaml.org,2002:str';
      if (isPlainText && isNumberInGo(node.value)) layout.style = SCALAR_STYLE.SINGLE_QUOTED;
    },
  ],
};

/** One document for each value. */
export function formatYaml(documents: readonly unknown[]): string {
  const texts = documents.map((value) => dump(value, options));
  return texts.length === 1 ? texts.join('') : texts.map((text) => `---\n${text}`).join('');
}
