/** What holds many hosts together in one document. */

/** Texts around hosts and between them; hosts have no line break at their end where `between` begins with one. */
export interface HostFrame {
  readonly start: string;
  readonly between: string;
  readonly end: string;
}

/** Texts that can follow each other: commands, YAML documents, members of one YAML mapping. */
export const plainFrame: HostFrame = { start: '', between: '', end: '' };

/** A mapping with the name of the host before each value: see `formatMember`. */
export const jsonMapping: HostFrame = { start: '{\n', between: ',\n', end: '\n}\n' };

export function formatMember(name: string, value: unknown): string {
  return `  ${JSON.stringify(name)}: ${indent(JSON.stringify(value, undefined, 2), '  ')}`;
}

/** What `kubectl` takes for many objects, and what `baremetal create` takes for many nodes: see `formatItem`. */
export const manifestList: HostFrame = {
  start: '{\n  "apiVersion": "v1",\n  "kind": "List",\n  "items": [\n',
  between: ',\n',
  end: '\n  ]\n}\n',
};
export const nodeList: HostFrame = { start: '{\n  "nodes": [\n', between: ',\n', end: '\n  ]\n}\n' };

export function formatItem(value: unknown): string {
  return `    ${indent(JSON.stringify(value, undefined, 2), '    ')}`;
}

/** JSON has line breaks between values only. */
function indent(json: string, by: string): string {
  return json.replaceAll('\n', `\n${by}`);
}
