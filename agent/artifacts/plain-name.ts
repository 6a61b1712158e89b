const maxLength = 200

/** Names as the protocol wants them: one path segment each, and none of them twice. */
export const plainNames = (wanted: readonly string[]): string[] => {
  const taken = new Set<string>()
  return wanted.map((name) => {
    const plain = plainName(name)
    let free = plain
    for (let copy = 2; taken.has(free); copy += 1) free = withCopy(plain, copy)
    taken.add(free)
    return free
  })
}

const plainName = (name: string): string => {
  const plain = name
    .toWellFormed()
    .replace(/[/\\\u0000-\u001f\u007f]/g, '_')
    .trim()
  return /^\.{0,2}$/.test(plain) ? 'file' : shortened(plain)
}

/** What is cut is in the middle: the ending tells what it is. */
const shortened = (name: string): string =>
  name.length <= maxLength ? name : `${name.slice(0, maxLength - 60)}…${name.slice(-59)}`.toWellFormed()

const withCopy = (name: string, copy: number): string => {
  const dot = name.lastIndexOf('.')
  return shortened(dot > 0 ? `${name.slice(0, dot)}-${copy}${name.slice(dot)}` : `${name}-${copy}`)
}
