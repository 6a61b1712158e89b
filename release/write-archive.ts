/** Archives (tar, gzip) that are the same bytes for the same files: no owner, no dates but the given one, in the given order. */
import { gzipSync } from 'node:zlib'

export type ArchiveFile = { path: string; bytes: Buffer; isProgram?: boolean }

const blockBytes = 512
/** What a header without extensions has room for. */
const maxName = 100
const maxPrefix = 155

export const writeArchive = (files: readonly ArchiveFile[], seconds: number): Buffer =>
  gzipSync(
    Buffer.concat([...files.flatMap((file) => entryOf(file, seconds)), Buffer.alloc(2 * blockBytes)]),
    {
      level: 9,
    },
  )

const entryOf = ({ path, bytes, isProgram = false }: ArchiveFile, seconds: number): Buffer[] => {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, length: number): void =>
    void header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1')
  const { prefix, name } = splitPath(path)
  header.write(name, 0)
  octal(isProgram ? 0o755 : 0o644, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(bytes.length, 124, 12)
  octal(seconds, 136, 12)
  header.fill(' ', 148, 156)
  header.write('0', 156)
  header.write('ustar\u000000', 257, 'latin1')
  header.write(prefix, 345)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  header.writeUInt8(0, 154)
  return [header, bytes, Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)]
}

const splitPath = (path: string): { prefix: string; name: string } => {
  if (Buffer.byteLength(path) <= maxName) return { prefix: '', name: path }
  const at = path.lastIndexOf('/', maxPrefix)
  const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
  if (at < 1 || Buffer.byteLength(name) > maxName || Buffer.byteLength(prefix) > maxPrefix)
    throw new Error(`an archive has no room for the path ${path}`)
  return { prefix, name }
}
