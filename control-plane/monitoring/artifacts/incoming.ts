import { addAbortSignal, type Readable } from 'node:stream'
import { uploadStatus } from '../../../protocol/artifact.ts'
import { ApiError } from '../../platform/words/errors.ts'

type Bounds = { room: number; signal: AbortSignal }

/**
 * The bytes of a request, at most `room`; they end early when the signal aborts.
 * @throws ApiError 400 (they do not come in full), 413 (there are more)
 */
export async function* incoming(request: Readable, { room, signal }: Bounds): AsyncGenerator<Uint8Array> {
  addAbortSignal(signal, request)
  let left = room
  try {
    // The connection is needed for the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes = chunk as Uint8Array
      if (bytes.length > left) {
        yield bytes.subarray(0, left)
        throw tooLong()
      }
      left -= bytes.length
      yield bytes
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError(400, 'The body was not received in full')
  } finally {
    // What is not wanted is read away, so that the client gets to see the answer.
    request.resume()
  }
}

export const tooLong = (): ApiError =>
  new ApiError(uploadStatus.tooLong, 'These are more bytes than were announced')
