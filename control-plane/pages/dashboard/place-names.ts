/** What a way back is called: by the place to which it leads. Pure. */
import type { Content } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { nameOfPage } from './navigation.ts'

/** Pages of one thing, by the path of their list. */
const things: { readonly [list: string]: { word: string } } = {
  '/app/checks': { word: 'The check' },
  '/app/runs': { word: 'The run' },
  '/app/groups': { word: 'The group' },
  '/app/channels': { word: 'The channel' },
  '/app/locations': { word: 'The location' },
  '/app/incidents': { word: 'The incident' },
  '/app/maintenance': { word: 'The window' },
  '/app/status-pages': { word: 'The status page' },
  '/app/services': { word: 'The service' },
  '/app/errors': { word: 'The error' },
}

export const placeName = (address: string): Content => {
  const [path = ''] = address.split(/[?#]/)
  const page = nameOfPage(path)
  if (page !== null) return say(page)
  const list = Object.keys(things).find((each) => path.startsWith(`${each}/`))
  return say(list === undefined ? 'Back' : (things[list]?.word ?? 'Back'))
}
