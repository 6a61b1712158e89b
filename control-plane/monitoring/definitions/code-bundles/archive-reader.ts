import { once } from 'node:events'
import { createGunzip } from 'node:zlib'
import { BundleError } from '../../../../protocol/archives/entry-path.ts'
import { ApiError } from '../../../platform/words/errors.ts'
import { type ArchiveFacts, inspectArchive } from './inspect-archive.ts'

/** `take` the compressed bytes in order, then `end`. @throws ApiError 400 for what is no archive of a project */
export type ArchiveReader = {
  take(chunk: Uint8Array): Promise<void>
  end(): Promise<ArchiveFacts>
  /** Of an archive that nobody reads on. */
  close(): void
}

/** Inflates an archive as it comes, a piece at a time, to see what is in it. */
export const createArchiveReader = (): ArchiveReader => {
  const gunzip = createGunzip()
  let taken = 0
  const facts = inspectArchive(held(gunzip, () => taken)).catch((error) => {
    gunzip.destroy()
    throw toApiError(error)
  })
  // Whoever takes or ends hears of it.
  facts.catch(() => undefined)
  return {
    take: async (chunk) => {
      taken += chunk.length
      if (gunzip.destroyed || !gunzip.write(chunk)) await Promise.race([drained(), facts])
    },
    end: () => {
      gunzip.end()
      return facts
    },
    close: () => {
      gunzip.destroy()
    },
  }

  /** An error of it is one of the facts. */
  async function drained(): Promise<void> {
    try {
      await once(gunzip, 'drain')
    } catch {
      await facts
    }
  }
}

/** What programs, texts and pictures hold takes a tenth at the least; zeros take a thousandth. */
const mostTimes = 100
const judgedBytes = 16 * 1024 * 1024

async function* held(inflated: AsyncIterable<Buffer>, taken: () => number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of inflated) {
    bytes += chunk.length
    if (bytes > judgedBytes && bytes > mostTimes * taken())
      throw new BundleError(`It holds more than ${mostTimes} times what it takes`)
    yield chunk
  }
}

const toApiError = (error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof BundleError) return refused(error.message)
  if (code === 'Z_BUF_ERROR') return refused('It ends too early')
  if (typeof code === 'string' && code.startsWith('Z_')) return refused('It is not compressed by gzip')
  return error
}

const refused = (reason: string): ApiError =>
  new ApiError(400, `The bundle is no archive (tar.gz) that can be taken: ${reason}`)
