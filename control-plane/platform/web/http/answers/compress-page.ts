/** Pages are text of the same words again and again: a fifth of it is sent to whoever can unpack it. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'

const pack = promisify(gzip)
/** Smaller ones fit into one packet anyway. */
const leastLength = 1024

export const compressPage = async (ctx: Context, text: string): Promise<void> => {
  ctx.vary('accept-encoding')
  const isPacked = text.length >= leastLength && ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isPacked) ctx.set('content-encoding', 'gzip')
  ctx.body = isPacked ? await pack(text) : text
}
