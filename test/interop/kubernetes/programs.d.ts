/** Types of programs.js for tests. */

export const versions: { readonly etcd: string; readonly 'kube-apiserver': string };
export const cacheFolder: string;
export function programFile(name: keyof typeof versions): string;
export function missingPrograms(): readonly (keyof typeof versions)[];
