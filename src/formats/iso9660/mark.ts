/** What shows an ISO, whatever its first bytes are: the identifier of its first descriptor (ECMA-119, 8.1). */

/** `offset` in bytes. */
export const ISO_MARK = { offset: 32_769, text: 'CD001' } as const;

/** The least bytes of a file that show an ISO. */
export const ISO_MARK_END = ISO_MARK.offset + ISO_MARK.text.length;
