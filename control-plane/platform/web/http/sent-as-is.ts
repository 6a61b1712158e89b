/** Answers that are sent as they are: text or bytes that are written already, or a stream of them. */
import { Readable } from 'node:stream'
import { type TSchema, type TUnsafe, Type } from 'typebox'

export type Bytes = string | Buffer | Readable

/** `schema`: what the bytes are for whoever reads them, which OpenAPI says. */
export const sentAsIs = (schema: TSchema = Type.String()): TUnsafe<Bytes> => Type.Unsafe<Bytes>(schema)

export const isSentAsIs = (body: unknown): body is Buffer | Readable =>
  body instanceof Readable || Buffer.isBuffer(body)
