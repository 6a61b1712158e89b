/** From `start` up to `end`, which is not included. */
export type ByteRange = { start: number; end: number }

type Headers = Readonly<Record<string, string | undefined>>

/**
 * What a request's `Range` asks for (RFC 9110, section 14): null for all of it, also where the header is one that we may
 * ignore (several ranges, another unit, nonsense, a version by `If-Range` that is not this one).
 */
export const requestedRange = (
  headers: Headers,
  { size, tag }: { size: number; tag: string },
): ByteRange | null | 'outside' => {
  const { range = '', 'if-range': version } = headers
  if (version !== undefined && version !== tag) return null
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (first !== '' && last !== '' && Number(last) < start) return null
  return start < end ? { start, end } : 'outside'
}
