/** Bytes that can be read anywhere without being held in memory: a file, a buffer, a remote image by HTTP Range. */

export interface RandomAccess {
  /** Bytes. */
  readonly size: number;
  /** Exactly `length` bytes from `offset`; reading past the end is an error of the caller. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** The same of a whole image. */
export interface ImageAccess extends RandomAccess {
  /** A device goes on behind the image that is on it. */
  readonly isDevice?: boolean;
}
