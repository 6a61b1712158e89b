/**
 * The places of the dashboard, and what stands in each: few in the navigation, the rest in a row of links on the pages of that place.
 * A page joins by one line here. Pure.
 */
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { type Role, roles } from '../../platform/words/shapes/roles.ts'

/** `role`: the least that its page asks for. */
type Page = { path: string; name: string; role?: Role; isForUsers?: boolean }
type Place = { name: string; isSetting?: boolean; pages: readonly [Page, ...Page[]] }

const places: readonly Place[] = [
  { name: 'Overview', pages: [{ path: '/app', name: 'Overview' }] },
  {
    name: 'Checks',
    pages: [
      { path: '/app/checks', name: 'Checks' },
      { path: '/app/groups', name: 'Groups' },
      { path: '/app/dependencies', name: 'Dependencies' },
      { path: '/app/errors', name: 'Errors' },
      { path: '/app/check-sessions', name: 'Run by hand' },
    ],
  },
  {
    name: 'Incidents',
    pages: [
      { path: '/app/incidents', name: 'Incidents' },
      { path: '/app/maintenance', name: 'Maintenance' },
    ],
  },
  {
    name: 'Status pages',
    pages: [
      { path: '/app/status-pages', name: 'Status pages' },
      { path: '/app/dashboards', name: 'Dashboards' },
      { path: '/app/badges', name: 'Badges' },
    ],
  },
  {
    name: 'Alerts',
    pages: [
      { path: '/app/alerts', name: 'History' },
      { path: '/app/channels', name: 'Channels' },
      { path: '/app/silent', name: 'Silent' },
    ],
  },
  { name: 'Reports', pages: [{ path: '/app/reports', name: 'Reports' }] },
  { name: 'Locations', pages: [{ path: '/app/locations', name: 'Locations' }] },
  {
    name: 'Team and keys',
    isSetting: true,
    pages: [
      { path: '/app/members', name: 'Members' },
      { path: '/app/keys', name: 'Keys' },
    ],
  },
  {
    name: 'Secrets and files',
    isSetting: true,
    pages: [
      { path: '/app/variables', name: 'Variables' },
      { path: '/app/certificates', name: 'Certificates' },
      { path: '/app/snippets', name: 'Snippets' },
      { path: '/app/bundles', name: 'Code bundles' },
    ],
  },
  {
    name: 'Account',
    isSetting: true,
    pages: [
      { path: '/app/account', name: 'Account' },
      { path: '/app/data', name: 'Data', role: 'ADMIN' },
    ],
  },
  { name: 'Audit log', isSetting: true, pages: [{ path: '/app/audit', name: 'Audit log', role: 'ADMIN' }] },
  {
    name: 'Profile',
    isSetting: true,
    pages: [
      { path: '/app/profile', name: 'Profile', isForUsers: true },
      { path: '/app/sessions', name: 'Signed in' },
    ],
  },
]

/** Null: the path is none of a page of the navigation. */
export const nameOfPage = (path: string): string | null => {
  const place = places.find(({ pages }) => pages.some((page) => page.path === path))
  const page = place?.pages.find((each) => each.path === path)
  return page === undefined ? null : page.path === place?.pages[0].path ? place.name : page.name
}

/** Who looks: what is not theirs is not offered to them. `isUser`: not a key by itself. */
type Reader = { role: Role; isUser: boolean }

const isOffered = ({ role = 'READ_ONLY', isForUsers = false }: Page, reader: Reader): boolean =>
  roles.indexOf(reader.role) >= roles.indexOf(role) && (reader.isUser || !isForUsers)

type Offered = { name: string; isSetting: boolean; isCurrent: boolean; pages: readonly Page[] }

const offeredTo = (reader: Reader, current: string): Offered[] =>
  places
    .map(({ name, isSetting = false, pages }) => ({
      name,
      isSetting,
      isCurrent: pages.some(({ path }) => path === current),
      pages: pages.filter((page) => isOffered(page, reader)),
    }))
    .filter(({ pages }) => pages.length > 0)

/** `marks`: what stands behind a name, such as the number that fails, by its path. */
export const navigation = (
  reader: Reader,
  current: string,
  marks: { readonly [path: string]: Content },
): Html => {
  const offered = offeredTo(reader, current)
  const here = offered.find(({ isCurrent }) => isCurrent)
  const list = (isSetting: boolean): Html =>
    html`<ul>${offered
      .filter((place) => place.isSetting === isSetting)
      .map(({ name, isCurrent, pages: [first] }) =>
        first === undefined
          ? null
          : html`<li><a href="${first.path}"${isCurrent ? html` aria-current="${first.path === current ? 'page' : 'true'}"` : null}>${say(name)}${marks[first.path] ?? null}</a></li>`,
      )}</ul>`
  return html`<nav class="side" aria-label="Pages"><details><summary>Menu${here === undefined ? null : html`<strong>${say(here.name)}</strong>`}</summary>${list(false)}<h2>Settings</h2>${list(true)}</details></nav>`
}

/** The pages of the place where one is, when it has several. */
export const pagesOfPlace = (reader: Reader, current: string): Html | null => {
  const here = offeredTo(reader, current).find(({ isCurrent }) => isCurrent)
  if (here === undefined || here.pages.length < 2) return null
  return html`<nav class="tabs" aria-label="${say(here.name)}">${here.pages.map(
    ({ path, name }) =>
      html`<a href="${path}"${path === current ? html` aria-current="page"` : null}>${say(name)}</a>`,
  )}</nav>`
}
