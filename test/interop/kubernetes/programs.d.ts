/** Types of programs.js for tests. */

export const versions: { readonly etcd: string; readonly 'kube-apiserver': string };
export const cacheFolder: string;
export function programFile(name: keyof typeof versions): string;
export function missingPrograms(): readonly (keyof typeof versions)[];

/** The release of ironic-standalone-operator that defines the kind Ironic. */
export const ironicRelease: string;

/** The definition in YAML; the file may not be there. */
export const ironicDefinition: string;
