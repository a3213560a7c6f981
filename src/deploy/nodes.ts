/** `deploy node` for the hosts of an inventory. */

import type { NodeDescription } from './documents/node.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { formatItem, formatMember, type HostFrame, jsonMapping, nodeList, plainFrame } from './hostFrames.ts';
import { isFolder, writeHosts } from './hosts.ts';
import { formatNode, type NodeFormat, type NodeOptions, readNode } from './nodeDocument.ts';

interface Form {
  /** Of the file of one host. */
  readonly extension: string;
  readonly frame: HostFrame;
}

/** `baremetal create` reads one document only. */
const forms: Readonly<Record<NodeFormat, Form>> = {
  command: { extension: '.sh', frame: plainFrame },
  json: { extension: '.json', frame: nodeList },
  yaml: { extension: '.yaml', frame: { ...plainFrame, start: 'nodes:\n' } },
  'driver-info': { extension: '.json', frame: jsonMapping },
};

/** Ends with 1 where a host is wrong; the others are written. */
export async function nodes(
  options: NodeOptions & { readonly inventory: string },
  format: NodeFormat,
  io: Io,
): Promise<ExitCode> {
  const formatHost = isFolder(options) ? formatNode : formatPart;
  return writeHosts(
    {
      options,
      ...forms[format],
      make: async (host, context) => {
        const description = readNode(host, format, context);
        if (description === undefined) return undefined;
        return { text: await formatHost(description, format, host), content: 'public' };
      },
    },
    io,
  );
}

async function formatPart(
  node: NodeDescription,
  format: NodeFormat,
  options: Pick<NodeOptions, 'set'>,
): Promise<string> {
  if (format === 'json') return formatItem(node);
  if (format === 'driver-info') return formatMember(node.name, node.driver_info);
  const text = await formatNode(node, format, options);
  return format === 'yaml' ? text.slice(forms.yaml.frame.start.length) : text;
}
