/** How many of a hundred runs passed, as text. Pure. */
import type { Content } from '../../platform/web/html/html.ts'
import { fixed, say } from '../../platform/web/html/say.ts'

/** Never rounded up to what it was not. */
export const share = (uptime: number | null): Content => {
  if (uptime === null) return '–'
  return say('{0} %', uptime === 100 ? '100' : fixed(Math.floor(uptime * 100) / 100, 2))
}
