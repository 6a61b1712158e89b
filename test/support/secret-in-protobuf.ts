/** A secret as Helm 4 sends those in which it keeps its releases: Kubernetes' envelope of protobuf, and of the secret what Helm writes. */
import type { Manifest } from './charts.ts'

type Field = { number: number; bytes: Buffer }

const fieldsOf = (bytes: Buffer): Field[] => {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at++)
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const fields: Field[] = []
  while (at < bytes.length) {
    const tag = varint()
    const length = varint()
    // Any other kind is a number by itself, and none of those matters here.
    if (tag % 8 !== 2) continue
    fields.push({ number: Math.floor(tag / 8), bytes: bytes.subarray(at, at + length) })
    at += length
  }
  return fields
}

const all = (fields: readonly Field[], number: number): Buffer[] =>
  fields.filter((field) => field.number === number).map(({ bytes }) => bytes)
const first = (fields: readonly Field[], number: number): Buffer => all(fields, number)[0] ?? Buffer.alloc(0)

const mapOf = (entries: readonly Buffer[], as: 'utf8' | 'base64'): Record<string, string> =>
  Object.fromEntries(
    entries.map(fieldsOf).map((entry) => [first(entry, 1).toString(), first(entry, 2).toString(as)]),
  )

const magic = Buffer.from('k8s\0')

export const secretInProtobuf = (body: Buffer): Manifest => {
  if (!body.subarray(0, magic.length).equals(magic)) throw new Error('this is no object of Kubernetes')
  const secret = fieldsOf(first(fieldsOf(body.subarray(magic.length)), 2))
  const metadata = fieldsOf(first(secret, 1))
  const made = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: first(metadata, 1).toString(), labels: mapOf(all(metadata, 11), 'utf8') },
    type: first(secret, 3).toString(),
    data: mapOf(all(secret, 2), 'base64'),
  }
  return made
}
