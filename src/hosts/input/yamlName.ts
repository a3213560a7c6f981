/** Which files are YAML. On its own, as what reads YAML takes time to load. */

export function isYamlFile(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}
