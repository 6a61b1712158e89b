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

const wholeWorld = async (t: Test): Promise<World> => {
  const world = await testWorld(t)
  await world.complete(routes)
  return world
}

t.test('no page shows a value as programs write it', async (t) => {
  const world = await wholeWorld(t)
  const raw = [...new Set(enumsOf(routes).map(({ value }) => value))].filter(isRaw)
  const visited = await pagesAs(world, 'OWNER')
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
})

t.test('no link and no button leads anybody to a refusal', async (t) => {
  const world = await wholeWorld(t)
  for (const role of roles) {
    const visited = await pagesAs(world, role)
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
        .filter(
          ({ access }) => access !== 'PUBLIC' && !(roles.indexOf(role) >= roles.indexOf(access as never)),
        )
        .map(({ action, access }) => `${path} → ${action} (${access})`),
    )
    t.strictSame([...new Set(refused)], [], `${role}: buttons`)
  }
})
