/** A long list becomes text some items at a time, so that others get their turn between them; the bytes are the same. */
const itemsAtOnce = 250

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const serializeInTurns = async (
  serialize: (body: unknown, trimmed?: boolean) => string,
  body: unknown,
  trimmed?: boolean,
): Promise<string> => {
  // The text of a frozen answer is kept.
  if (!Array.isArray(body) || body.length <= itemsAtOnce || Object.isFrozen(body))
    return serialize(body, trimmed)
  const texts: string[] = []
  for (let at = 0; at < body.length; at += itemsAtOnce) {
    if (at > 0) await nextTurn()
    texts.push(serialize(body.slice(at, at + itemsAtOnce), trimmed).slice(1, -1))
  }
  return `[${texts.join(',')}]`
}
