/** What the pages of signing in answer with. */
import { type Reply, reply } from '../../platform/web/http/route.ts'

const textHeaders = { 'cache-control': 'private, no-store' }

/** To another page of ours; at most one cookie is set. */
export const seeOther = (location: string, cookie?: string): Reply<string> =>
  reply('', {
    status: 303,
    headers: { location, ...textHeaders, ...(cookie === undefined ? {} : { 'set-cookie': cookie }) },
  })
