/** Request bodies: JSON in UTF-8, plain or (with a key) gzip, never more than the route's limit after inflation. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from '../../../words/errors.ts'
import { readForm } from './form-body.ts'
import { parseForeignJson, parseJson } from './json-text.ts'

export const defaultBodyLimit = 1024 * 1024
/** Where nobody has to say who they are. */
export const publicBodyLimit = 4096

const inflate = promisify(gunzip)

export type BodyRules = {
  /** In bytes, after inflation. */
  limit: number
  compressed: boolean
  /** Text that the store cannot hold is replaced instead of refused (json-text.ts). */
  foreign: boolean
  /** A form of a page (form-body.ts) instead of JSON. */
  form: boolean
}

/**
 * The parsed body, or `undefined` when the request has none.
 * @throws ApiError 400 (not JSON, not UTF-8, broken gzip), 413 (too large), 415 (another type or encoding)
 */
export const readBody = async (
  request: IncomingMessage,
  { limit, compressed, foreign, form }: BodyRules,
): Promise<unknown> => {
  const length = request.headers['content-length']
  if (request.headers['transfer-encoding'] === undefined && (length === undefined || length === '0'))
    return undefined
  if (form) requireType(request, 'application/x-www-form-urlencoded')
  else requireJson(request.headers['content-type'])
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && !(compressed && encoding === 'gzip'))
    throw new ApiError(415, `Content-Encoding "${encoding}" is not supported here`, {
      headers: { 'accept-encoding': compressed ? 'gzip' : 'identity' },
    })
  if (Number(length) > limit) throw tooLarge(limit)
  const received = await collect(request, limit)
  if (received.length === 0) return undefined
  const bytes = encoding === 'gzip' ? await unzip(received, limit) : received
  if (!isUtf8(bytes)) throw new ApiError(400, 'The body is not valid UTF-8')
  if (form) return readForm(bytes.toString('utf8'))
  return foreign ? parseForeignJson(bytes) : parseJson(bytes)
}

/** @throws ApiError 415 when the body is, as its header says, of another type than the one that is streamed */
export const requireType = (request: IncomingMessage, wanted: string): void => {
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';')
  if (type.trim() !== wanted) throw new ApiError(415, `The body needs Content-Type: ${wanted}`)
}

const requireJson = (header: string | undefined): void => {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  const essence = type.trim()
  if (essence !== 'application/json' && !/^application\/[\w.+-]+\+json$/.test(essence))
    throw new ApiError(415, 'A body needs Content-Type: application/json')
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='))
  if (charset && !/charset="?utf-?8"?\s*$/.test(charset)) throw new ApiError(415, 'A body must be in UTF-8')
}

const tooLarge = (limit: number): ApiError =>
  new ApiError(413, `The body is larger than ${limit} bytes`, { attributes: { limitBytes: limit } })

/** What chunks (RFC 9112 section 7.1) may add to a body is as much as the body again and this: a byte in a chunk of its own costs six, and an event. */
const allowedFraming = 16_384

const badlyFramed = (): ApiError =>
  new ApiError(400, 'The body came in chunks that are far too small', {
    attributes: { limitBytes: allowedFraming },
  })

/** Stops keeping bytes at the limit; the connection is closed after the answer. */
const collect = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const readBefore = request.socket.bytesRead
    const done = (settle: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      settle()
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) done(() => reject(tooLarge(limit)))
      else if (!request.complete && request.socket.bytesRead - readBefore > 2 * size + allowedFraming)
        done(() => reject(badlyFramed()))
      else chunks.push(chunk)
    }
    const onEnd = () =>
      done(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    const onError = () => done(() => reject(new ApiError(400, 'The body was not received in full')))
    const onClose = onError
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })

const unzip = async (bytes: Buffer, limit: number): Promise<Buffer> => {
  try {
    return await inflate(bytes, { maxOutputLength: limit })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw new ApiError(400, 'The body is not valid gzip')
  }
}
