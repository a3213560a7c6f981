// @ts-check
/** A plugin of rolldown that leaves out parts of packages that take time to load, and that the program does not use. */

/** @type {readonly { readonly id: RegExp, readonly parts: RegExp }[]} */
const UNUSED = [
  // For commands that are programs of their own.
  { id: /\/node_modules\/commander\//, parts: /require\('node:child_process'\)/g },
  // Clusters, metrics of Node.js, the push gateway and summaries: four fifths of the code.
  {
    id: /\/node_modules\/prom-client\/index\.js$/,
    parts: /require\('\.\/lib\/(?:cluster|defaultMetrics|pushgateway|summary)'\)/g,
  },
];

export function withoutUnusedParts() {
  return UNUSED.map(({ id, parts }) => ({
    name: 'without-unused-parts',
    transform: { filter: { id }, handler: (/** @type {string} */ code) => code.replaceAll(parts, '{}') },
  }));
}
