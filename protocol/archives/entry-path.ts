/** Where the entries of an archive may lie. Pure: nothing is looked up, so nothing can change in between. */

/** What is wrong with a project, in a sentence about it: its author has to know. */
export class BundleError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BundleError'
  }
}

const maxPath = 1024
/** A name of a file (NAME_MAX), in bytes. */
const maxName = 255

/** The path of an entry below the folder of the project, '' for the folder itself. */
export const entryPath = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (path.startsWith('/')) throw new BundleError(`${quoted(path)} is an absolute path`)
  if (parts.includes('..')) throw new BundleError(`${quoted(path)} leads out of its folder`)
  const isOdd = path.includes('\0') || path.includes('\\') || path.length > maxPath
  if (isOdd || parts.some((part) => Buffer.byteLength(part) > maxName))
    throw new BundleError(`${quoted(path)} is no path that is taken`)
  return parts.join('/')
}

/**
 * The target of a link at `path`, as it will be written. `..` may only stand at its beginning: what comes after a name could
 * be a link itself, whose parent is somewhere else.
 */
export const linkTarget = (path: string, target: string): string => {
  const refuse = (): never => {
    throw new BundleError(`The link ${quoted(path)} leads out of the project: ${quoted(target)}`)
  }
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const ups = parts.findIndex((part) => part !== '..')
  const down = ups === -1 ? [] : parts.slice(ups)
  if (target === '' || target.startsWith('/') || /[\\\0]/.test(target) || target.length > maxPath) refuse()
  if (down.includes('..')) refuse()
  const depth = path.split('/').length - 1
  if ((ups === -1 ? parts.length : ups) > depth) refuse()
  return parts.join('/') || '.'
}

const quoted = (path: string): string => JSON.stringify(path.slice(0, 200))
