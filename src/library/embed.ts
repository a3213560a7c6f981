/** Configs into live ISOs, as `ironic-coreos iso ignition embed` embeds them. */

import type { EmbeddingOptions } from '../commands/iso/ignition.ts';
import type { OutputOptions } from '../imagefile/imageOutput.ts';
import type { Diagnostic } from '../core/finding.ts';
import type { Io } from '../io/io.ts';
import { call, type CallOptions } from './call.ts';
import { bytesOf, requireContent } from './content.ts';

/** The other members are the options of the command line. */
export interface Embedding<Iso extends string | Uint8Array> extends BytesEmbedding<Iso>, OutputOptions {}

interface BytesEmbedding<Iso> extends EmbeddingOptions {
  /** The path, the URL or the bytes of the image. */
  readonly iso: Iso;
  /** The text or the bytes of an Ignition config or a Butane config. */
  readonly config: string | Uint8Array;
}

export interface Embedded {
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Writes the image with the config to the file `output`; without `output`, into the image itself.
 * @throws ReportedError if the config or the image is invalid; nothing is written then
 */
export async function embed(embedding: Embedding<string>, options?: CallOptions): Promise<Embedded>;
/** Returns the bytes of the image with the config. */
export async function embed(
  embedding: BytesEmbedding<Uint8Array>,
  options?: CallOptions,
): Promise<Embedded & { readonly image: Uint8Array }>;
export async function embed(
  { iso, config, ...options }: Embedding<string | Uint8Array>,
  callOptions: CallOptions = {},
): Promise<Embedded & { readonly image?: Uint8Array }> {
  const work = async (io: Io): Promise<Uint8Array | undefined> => {
    const { planEmbedding } = await import('../commands/iso/ignition.ts');
    const { checkConfigToEmbed } = await import('../hosts/input/configFiles.ts');
    const { editLiveBytes, editLiveIso } = await import('../hosts/input/imageContents.ts');
    requireContent(iso, 'iso');
    const checked = await checkConfigToEmbed(bytesOf(config, 'config'), 'config', options, io);
    return planEmbedding(checked, options, io, async (edit) => {
      if (typeof iso !== 'string') return editLiveBytes(iso, options, edit, io);
      await editLiveIso({ ...options, iso }, edit, io);
      return undefined;
    });
  };
  const { result: image, diagnostics } = await call(callOptions, work);
  return { diagnostics, ...(image && { image }) };
}
