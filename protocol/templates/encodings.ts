/** How values are written where a template's text goes. Pure. */

/** Lone surrogates, which have no bytes to encode, become the replacement character. */
export const uriEncode = (value: string): string => encodeURIComponent(value.toWellFormed())

/** A variable at the very beginning of an address holds scheme and host, which encoding would break. */
export const encodeInAddress = (value: string, index: number): string =>
  index === 0 ? value : uriEncode(value)
