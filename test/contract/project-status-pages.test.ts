// Runs on both engines in test:all: a deployment is one transaction of many routes, which lock rows.
/** A status page of version 3, its components and its automation rule, deployed as parts of one project that name each other. */
import { eachEngine, type TestApp } from '../support/app.ts'

type Resource = { type: string; logicalId: string; member: true; payload: Record<string, unknown> }
type Change = { type: string; logicalId: string; physicalId: string; action: string }

const one = (type: string, logicalId: string, payload: Record<string, unknown>): Resource => ({
  ...{ type, logicalId, member: true },
  payload,
})
const ref = (name: string) => ({ ref: name })
const onPage = { statusPageId: ref('page') }

const rule = (...components: object[]) =>
  one('status-page-automation-rule', 'rule', {
    ...{ ...onPage, name: 'Payments fail', tags: ['payments'], coolDownWindowMinutes: 10 },
    ...{ firstUpdate: 'We are looking into it.', lastUpdate: 'Payments work again.', components },
  })
const impact = (name: string, targetImpact: string) => ({ componentId: ref(name), targetImpact })

const page = one('status-page', 'page', { version: 3, name: 'Status', url: 'shop-status' })
const cart = one('status-page-component', 'cart', {
  ...{ ...onPage, name: 'Cart', type: 'SERVICE', parentId: ref('shop') },
})
const mail = one('status-page-component', 'mail', { ...onPage, name: 'Mail', type: 'SERVICE' })
const shop = one('status-page-component', 'shop', { ...onPage, name: 'Shop', type: 'GROUP' })

/** As files say them: in any order. */
const resources = () => [
  rule(impact('cart', 'MAJOR_OUTAGE'), impact('mail', 'PARTIAL_OUTAGE')),
  ...[cart, mail, shop, page],
]

const deploy = async (plane: TestApp, resources: Resource[]) => {
  const body = { project: { logicalId: 'shop', name: 'Shop' }, resources, repoInfo: null }
  const sent = await plane.call('POST', '/v1/projects/deploy?dryRun=false', { body })
  if (sent.status !== 202) return { status: sent.status, diff: [], text: sent.text }
  const { text } = await plane.call('GET', `/v1/projects/shop/deployments/${sent.body.id}/events`)
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
  return { status: sent.status, diff: result.diff as Change[], text }
}

const idIn = (diff: Change[], logicalId: string): string =>
  diff.find((change) => change.logicalId === logicalId)?.physicalId ?? ''

eachEngine('an automation rule names components of the same project', async (t, plane) => {
  const { status, diff, text } = await deploy(plane, resources())
  t.equal(status, 202, text)
  const base = `/v3/status-pages/${idIn(diff, 'page')}`
  const read = async (path: string) => (await plane.call('GET', `${base}${path}`)).body
  const ids = { cart: idIn(diff, 'cart'), mail: idIn(diff, 'mail') }
  t.match(await read(`/components/${ids.cart}`), { name: 'Cart', parentId: idIn(diff, 'shop') })
  const path = `/automation-rules/${idIn(diff, 'rule')}`
  t.match(await read(path), {
    ...{ name: 'Payments fail', coolDownWindowMinutes: 10, updated_at: null },
    components: [
      { componentId: ids.cart, targetImpact: 'MAJOR_OUTAGE' },
      { componentId: ids.mail, targetImpact: 'PARTIAL_OUTAGE' },
    ],
  })

  const again = await deploy(plane, resources())
  t.strictSame(
    again.diff.map(({ action, physicalId }) => ({ action, physicalId })),
    diff.map(({ physicalId }) => ({ action: 'UPDATE', physicalId })),
  )
  t.equal((await read(path)).updated_at, null, 'what is the same is not written')

  const fewer = await deploy(plane, [page, shop, cart, rule(impact('cart', 'DEGRADED_PERFORMANCE'))])
  t.match(fewer.diff, [{ logicalId: 'mail', action: 'DELETE' }, {}, {}, {}, {}], fewer.text)
  t.strictSame((await read(path)).components, [
    { componentId: ids.cart, targetImpact: 'DEGRADED_PERFORMANCE' },
  ])

  const gone = await plane.call('DELETE', '/v1/projects/shop?preserveResources=false&dryRun=false')
  t.equal(gone.status, 202, gone.text)
  await plane.call('GET', `/v1/projects/shop/deployments/${gone.body.id}/events`)
  t.equal((await plane.call('GET', base)).status, 404)
  t.strictSame((await plane.call('GET', '/v1/status-pages/services')).body.entries, [])
})

eachEngine(
  'a reference to what is no component of the page is named, and nothing is written',
  async (t, plane) => {
    const nobody = await deploy(plane, [page, cart, shop, rule(impact('nobody', 'DEGRADED_PERFORMANCE'))])
    t.equal(nobody.status, 400)
    t.match(
      nobody.text,
      /status-page-automation-rule \\"rule\\": .*names no status-page-component of the project: nobody/,
    )
    const group = await deploy(plane, [page, cart, shop, rule(impact('shop', 'DEGRADED_PERFORMANCE'))])
    t.equal(group.status, 400)
    t.match(group.text, /components.0.componentId.*is no SERVICE of the page/)
    t.strictSame((await plane.call('GET', '/v1/status-pages')).body.entries, [])
  },
)
