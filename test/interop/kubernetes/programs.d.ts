/** Types of programs.js for tests. */

export const versions: { readonly etcd: string; readonly 'kube-apiserver': string };
export const cacheFolder: string;
export function programFile(name: keyof typeof versions): string;
export function missingPrograms(): readonly (keyof typeof versions)[];

/** Releases of the operators that define these kinds. */
export const definitions: { readonly ironics: string; readonly baremetalhosts: string };

/** The YAML file of a definition, which may not be there. */
export function definitionFile(name: keyof typeof definitions): string;

/** What `fetch.js` has not yet generated. */
export function missingDefinitions(): readonly (keyof typeof definitions)[];
