/** Archives by hand, with what no honest program would put into one. */
export type TarInput = {
  path: string
  type?: string
  content?: string | Buffer
  target?: string
  mode?: number
}

export const tarOf = (entries: readonly TarInput[]): Buffer =>
  Buffer.concat([...entries.map(entryOf), Buffer.alloc(1024)])

const entryOf = ({ path, type = '0', content = '', target = '', mode = 0o644 }: TarInput): Buffer => {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  const number = (value: number, at: number, length: number): void => {
    header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1')
  }
  header.write(path, 0, 100)
  number(mode, 100, 8)
  number(bytes.length, 124, 12)
  header.write(type, 156)
  header.write(target, 157, 100)
  header.write('ustar\u000000', 257, 'latin1')
  header.fill(' ', 148, 156)
  number(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}
