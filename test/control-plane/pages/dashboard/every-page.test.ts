// Runs in test:all only: every page is opened as every role.
import t, { type Test } from 'tap'
import { roles } from '../../../../control-plane/platform/words/shapes/roles.ts'
import { routes, servedRoutes } from '../../../../control-plane/routes.ts'
import { enumsOf, isRaw } from '../../../support/enums.ts'
import { everyPage, routeAt, type Visited } from '../../../support/every-page.ts'
import { addPerson } from '../../../support/members.ts'
import { signedInAs } from '../../../support/visitor.ts'
import { testWorld, type World } from '../../../support/world.ts'

const pagesAs = async ({ plane }: World, role: (typeof roles)[number]): Promise<Visited[]> => {
  const { userId } = await addPerson(plane, { email: `${role.toLowerCase()}@pages.example`, role })
  return everyPage(plane, await signedInAs(plane, userId))
}

/** What people read, without code that is shown as such. */
const readable = (text: string): string =>
  text
    .replace(/<(script|style|code|pre|textarea|head)\b.*?<\/\1>/gs, ' ')
    .replace(/<(?!\/)[^>]*?(?: (?:title|aria-label|placeholder)="([^"]*)")?[^>]*>/g, ' $1 ')
    .replace(/<[^>]*>/g, ' ')

/** Looking changes nothing: what each role sees is seen once, and for all that is asked of it. */
const visitedBy = async (t: Test): Promise<Map<(typeof roles)[number], Visited[]>> => {
  const world = await testWorld(t)
  await world.complete(routes)
  const visited = new Map<(typeof roles)[number], Visited[]>()
  for (const role of roles) visited.set(role, await pagesAs(world, role))
  return visited
}

const asWritten = (t: Test, visited: readonly Visited[]): void => {
  const raw = [...new Set(enumsOf(routes).map(({ value }) => value))].filter(isRaw)
  const shown = visited.flatMap(({ path, text }) => {
    const words = new Set(readable(text).split(/[^\w-]+/))
    return raw.filter((value) => words.has(value)).map((value) => `${path}: ${value}`)
  })
  t.strictSame(shown, [])
  const reached = new Set(visited.map(({ route }) => route))
  const pages = servedRoutes.filter(
    ({ method, path, responseType }) =>
      method === 'GET' && /^\/app(\/|$)/.test(path) && responseType === 'text/html',
  )
  t.strictSame(
    pages.map(({ path }) => path).filter((path) => !path.startsWith('/app/do/') && !reached.has(path)),
    [],
    'every page is reached by links',
  )
}

const leadsOn = (t: Test, role: (typeof roles)[number], visited: readonly Visited[]): void => {
  t.ok(visited.length > 20, role)
  t.strictSame(
    visited
      .filter(({ status }) => status !== 200)
      .map(({ path, from, status }) => `${status} ${from} → ${path}`),
    [],
    `${role}: links`,
  )
  const refused = visited.flatMap(({ path, forms }) =>
    forms
      .map(({ method, action }) => ({ action, access: routeAt(method, action)?.access }))
      .filter(({ access }) => access !== 'PUBLIC' && !(roles.indexOf(role) >= roles.indexOf(access as never)))
      .map(({ action, access }) => `${path} → ${action} (${access})`),
  )
  t.strictSame([...new Set(refused)], [], `${role}: buttons`)
}

t.test('every page, as every role', async (t) => {
  const visited = await visitedBy(t)
  await t.test('no page shows a value as programs write it', async (t) =>
    asWritten(t, visited.get('OWNER') ?? []),
  )
  await t.test('no link and no button leads anybody to a refusal', async (t) => {
    for (const role of roles) leadsOn(t, role, visited.get(role) ?? [])
  })
})
