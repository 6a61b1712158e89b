import t from 'tap'
import { changeRows } from '../../../../control-plane/pages/dashboard/forms/change-rows.ts'
import {
  type Field,
  fieldsOf,
  type Schema,
  variantOf,
  variantsOf,
} from '../../../../control-plane/pages/dashboard/forms/fields.ts'
import { fieldsHtml } from '../../../../control-plane/pages/dashboard/forms/form-html.ts'
import { readBody } from '../../../../control-plane/pages/dashboard/forms/read-body.ts'
import { markupOf } from '../../../../control-plane/platform/web/html/html.ts'
import { routes } from '../../../../control-plane/routes.ts'
import { testApp } from '../../../support/app.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'

const none = new Map()

type GroupField = Extract<Field, { kind: 'group' }>

t.test('a form that was left empty says nothing, null, or empty, as the schema allows', async (t) => {
  const schema: Schema = {
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1 },
      note: { type: ['string', 'null'] },
      prefix: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
      places: { type: 'array', items: { enum: ['a', 'b'] } },
      count: { type: 'integer', minimum: 1 },
      level: { type: 'number', enum: [1, 2] },
      isOn: { type: 'boolean' },
      maybe: { type: ['boolean', 'null'] },
      nested: { type: ['object', 'null'], properties: { a: { type: 'string' } } },
      rows: { type: 'array', items: { type: 'object', properties: { k: { type: 'string' } } } },
      free: { type: 'object' },
      old: { type: 'string', deprecated: true },
      kind: { type: 'string', const: 'X' },
    },
  }
  const fields = fieldsOf(schema, none)
  t.notOk(fields.some(({ name }) => name === 'old' || name === 'kind'))
  t.strictSame(readBody(fields, {}).body, {
    ...{ note: null, prefix: '', tags: [], places: [], isOn: false, maybe: null, nested: null, rows: [] },
  })
  const sent = {
    ...{
      name: 'x',
      note: 'y',
      tags: ' a \n\nb',
      places: ['b'],
      count: '3',
      level: '2',
      isOn: 'true',
      maybe: 'false',
    },
    ...{ nested: { _on: 'true', a: 'z' }, rows: [{ k: '1' }], free: '{"a":[1]}' },
  }
  t.strictSame(readBody(fields, sent).body, {
    ...{
      name: 'x',
      note: 'y',
      prefix: '',
      tags: ['a', 'b'],
      places: ['b'],
      count: '3',
      level: 2,
      isOn: true,
    },
    ...{ maybe: false, nested: { a: 'z' }, rows: [{ k: '1' }], free: { a: [1] } },
  })
  const [problem] = readBody(fields, { free: '{' }).violations
  t.equal(problem?.path, 'free')
})

t.test('a secret that was left empty stays, and goes only when that is said', async (t) => {
  const schema: Schema = { properties: { password: { type: ['string', 'null'] } } }
  const fields = fieldsOf(schema, none)
  t.strictSame(readBody(fields, { password: '' }).body, {})
  t.strictSame(readBody(fields, { password: 'new' }).body, { password: 'new' })
  t.strictSame(readBody(fields, { password: '', password_emptied: 'true' }).body, { password: null })
})

t.test('moments are chosen in UTC, and what is none is for the API to refuse', async (t) => {
  const fields = fieldsOf({ properties: { startsAt: { type: 'string', format: 'date-time' } } }, none)
  t.match(fields, [{ label: 'Starts at (UTC)' }])
  const said = (startsAt: string) => readBody(fields, { startsAt }).body['startsAt']
  t.equal(said('2026-01-31T08:30'), '2026-01-31T08:30:00Z')
  t.equal(said('2026-01-31T08:30:05.25'), '2026-01-31T08:30:05.25Z')
  t.equal(said('2026-01-31T08:30:00+02:00'), '2026-01-31T08:30:00+02:00')
  t.equal(said('soon'), 'soon')
})

t.test('what tells rows apart is carried along unseen, and what is needed begins with a row', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const fresh = await visitPage(plane, cookie, '/app/do/post/v1/status-pages')
  t.match(fresh.text, 'name="body.cards.0.name"')
  t.notMatch(fresh.text, 'body.cards.0.id')
  const card = { 'body.cards.0.name': 'All', 'body.name': 'Acme', 'body.url': 'acme' }
  const made = await visitPage(plane, cookie, '/app/do/post/v1/status-pages', { ...card, _do: 'save' })
  t.match(made.location, /^\/app\/status-pages\/[0-9a-f-]{36}\?said=created$/)
  const [page] = (await plane.call('GET', '/v1/status-pages')).body.entries
  const edit = await visitPage(plane, cookie, `/app/do/put/v1/status-pages/${page.id}`)
  t.match(edit.text, `<input type="hidden" name="body.cards.0.id" value="${page.cards[0].id}">`)
})

/** Every optional block of a form, with the path of its fields. */
const optionalBlocks = (fields: readonly Field[], path = ''): Array<{ path: string; block: GroupField }> =>
  fields.flatMap((field) => {
    if (field.kind !== 'group') return []
    const own = `${path}${field.name}`
    return [
      ...(field.isNullable ? [{ path: own, block: field }] : []),
      ...optionalBlocks(field.fields, `${own}.`),
    ]
  })

const nested = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)

/** What a browser would send of a form as it is shown. */
const sentAsShown = (markup: string): URLSearchParams => {
  const sent = new URLSearchParams()
  for (const [tag, name = ''] of markup.matchAll(
    /<(?:input|select|textarea)\b[^>]*? name="([^"]*)"[^>]*>/g,
  )) {
    const after = markup.slice(markup.indexOf(tag) + tag.length)
    const value = tag.startsWith('<select')
      ? (after.match(/^.*?<\/select>/s)?.[0].match(/value="([^"]*)" selected/)?.[1] ??
        after.match(/value="([^"]*)"/)?.[1])
      : tag.startsWith('<textarea')
        ? after.match(/^\n?(.*?)<\/textarea>/s)?.[1]
        : tag.includes('type="checkbox"') && !tag.includes(' checked')
          ? undefined
          : tag.match(/ value="([^"]*)"/)?.[1]
    if (value !== undefined) sent.set(name, value.replaceAll('&quot;', '"'))
  }
  return sent
}

t.test(
  'an optional block that is added later begins as it does in a new form: with the defaults',
  async (t) => {
    const bodies = routes.flatMap(({ method, path, body }) =>
      body !== undefined && ['POST', 'PUT', 'PATCH'].includes(method)
        ? [{ name: `${method} ${path}`, body }]
        : [],
    )
    let blocks = 0
    for (const { name, body } of bodies) {
      const schema = body as Schema
      const variants = variantsOf(schema)
      const shapes =
        variants === null ? [schema] : variants.values.map((value) => variantOf(schema, variants, value))
      for (const fields of shapes.map((shape) => fieldsOf(shape, none)))
        for (const { path, block } of optionalBlocks(fields)) {
          blocks++
          const common = { errors: new Map(), prefix: 'body' }
          const markup = (state: { values: unknown; isFresh: boolean }) =>
            fieldsHtml(fields, { ...common, ...state })
              .map((each) => markupOf(each))
              .join('')
          const added = markup({ values: nested(path, null), isFresh: false })
          const fresh = markup({ values: {}, isFresh: true })
          const from = (markup: string) =>
            [...sentAsShown(markup)].filter(
              ([key]) => key.startsWith(`body.${path}.`) && !key.endsWith('._on'),
            )
          t.strictSame(from(added), from(fresh), `${name}: ${path} is the same`)
          const sent = new Map(from(added))
          for (const field of block.fields) {
            if (field.kind === 'group' || field.default === undefined || typeof field.default === 'object')
              continue
            t.equal(
              sent.get(`body.${path}.${field.name}`),
              String(field.default),
              `${name}: ${path}.${field.name}`,
            )
          }
        }
    }
    t.ok(blocks > 50, `${blocks} optional blocks were looked at`)
  },
)

/** What a browser sends of each optional block of a body, by its path and the shape of the body. */
const blocksSent = (schema: Schema, state: (path: string) => { values: unknown; isFresh: boolean }) => {
  const variants = variantsOf(schema)
  const shapes = new Map(
    variants === null
      ? [['', schema]]
      : variants.values.map((value) => [value, variantOf(schema, variants, value)]),
  )
  const sent = new Map<string, object>()
  for (const [value, shape] of shapes) {
    const fields = fieldsOf(shape, none)
    for (const { path } of optionalBlocks(fields)) {
      const shown = fieldsHtml(fields, { errors: new Map(), prefix: 'body', ...state(path) })
      const markup = shown.map((each) => markupOf(each)).join('')
      const within = [...sentAsShown(markup)].filter(
        ([key]) => key.startsWith(`body.${path}.`) && !key.endsWith('._on'),
      )
      sent.set(`${value} ${path}`, Object.fromEntries(within))
    }
  }
  return sent
}

t.test('a block that is set in a form that changes is that of a form that makes', async (t) => {
  const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]))
  const missing: string[] = []
  let compared = 0
  for (const { method, path, body } of routes) {
    if ((method !== 'PUT' && method !== 'PATCH') || body === undefined) continue
    const made = byName.get(`POST ${path.replace(/\/:\w+$/, '')}`)
    if (made?.body === undefined || path === made.path) continue
    const fresh = blocksSent(made.body as Schema, () => ({ values: {}, isFresh: true }))
    const added = blocksSent(body as Schema, (block) => ({ values: nested(block, null), isFresh: false }))
    const isOfOne = fresh.size > 0 && [...fresh.keys()].every((key) => key.startsWith(' '))
    for (const [key, sent] of added) {
      const other = fresh.get(key)
      if (other === undefined) {
        if (isOfOne) missing.push(`${method} ${path}: ${key}`)
        continue
      }
      compared++
      t.strictSame(sent, other, `${method} ${path}: ${key}`)
    }
  }
  t.strictSame(missing, [], 'what can be changed can be made so')
  t.ok(compared > 40, `${compared} blocks were compared`)
})

t.test('an incident that is opened by a check that is changed has the default severity', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const made = await visitPage(plane, cookie, '/app/do/post/v1/checks/url', { ...check, _do: 'save' })
  const id = made.location?.match(/checks\/([0-9a-f-]+)/)?.[1] ?? ''
  const path = `/app/do/put/v1/checks/url/${id}`
  const service = await plane.call('POST', '/v1/status-pages/services', { body: { name: 'Shop' } })
  const form = sentAsShown((await visitPage(plane, cookie, path)).text)
  form.set('body.triggerIncident._on', 'true')
  form.set('body.triggerIncident.serviceId', service.body.id)
  form.set('body.triggerIncident.name', 'Shop is away')
  form.set('body.triggerIncident.description', 'We look')
  form.set('_do', 'save')
  const saved = await visitPage(plane, cookie, path, form)
  t.equal(saved.status, 303, saved.text.match(/role="alert".*?<.section>/s)?.[0] ?? 'saved')
  t.match((await plane.call('GET', `/v1/checks/${id}`)).body.triggerIncident, { severity: 'MINOR' })
})

t.test('a subscription is active unless it is switched off', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const { body } = await plane.call('POST', '/v1/alert-channels', {
    body: { type: 'EMAIL', config: { address: 'a@example.com' } },
  })
  const form = await visitPage(plane, cookie, `/app/do/put/v1/alert-channels/${body.id}/subscriptions`)
  t.match(form.text, /name="body\.activated" value="true" checked/)
})

t.test('rows are added and taken away where the button was, and nowhere else', async (t) => {
  const tree = { body: { request: { list: [{ a: '1' }, { a: '2' }] } } }
  t.strictSame(changeRows(tree, 'add', 'body.request.list'), {
    body: { request: { list: [{ a: '1' }, { a: '2' }, {}] } },
  })
  t.strictSame(changeRows(tree, 'remove', 'body.request.list.0'), {
    body: { request: { list: [{ a: '2' }] } },
  })
  t.strictSame(changeRows({}, 'add', 'body.list'), { body: { list: [{}] } })
  changeRows({}, 'add', '__proto__.polluted')
  t.notOk('polluted' in {})
})

t.test('the fields of a body may depend on one of its values', async (t) => {
  const route = routes.find(({ method, path }) => method === 'POST' && path === '/v1/alert-channels')
  const schema = route?.body as Schema
  const variants = variantsOf(schema)
  t.match(variants, { by: 'type', values: ['EMAIL', 'SLACK'] })
  if (variants === null) return
  const fields = fieldsOf(variantOf(schema, variants, 'EMAIL'), none)
  t.notOk(fields.some(({ name }) => name === 'type'))
  t.match(
    fields.find(({ name }) => name === 'config'),
    { kind: 'group', fields: [{ name: 'address' }] },
  )
})

const check = {
  'body.name': 'Shop <b>',
  'body.request.url': 'https://shop.example/',
  'body.tags': 'shop\nproduction',
  'body.frequency': '5',
  'body.privateLocations[]': 'local',
  'body.activated': 'true',
  'body.retryStrategy._on': 'true',
  'body.retryStrategy.type': 'LINEAR',
  'body.retryStrategy.maxRetries': '3',
  'body.request.assertions.0.source': 'STATUS_CODE',
  'body.request.assertions.0.comparison': 'EQUALS',
  'body.request.assertions.0.target': '200',
}

t.test('a check is created and changed by forms as by the API', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const made = await visitPage(plane, cookie, '/app/do/post/v1/checks/url', { ...check, _do: 'save' })
  t.equal(made.status, 303)
  const id = made.location?.match(/checks\/([0-9a-f-]+)/)?.[1] ?? ''
  const { body } = await plane.call('GET', `/v1/checks/${id}`)
  t.match(body, {
    ...{
      name: 'Shop <b>',
      tags: ['shop', 'production'],
      frequency: 5,
      privateLocations: ['local'],
      activated: true,
    },
    retryStrategy: { type: 'LINEAR', maxRetries: 3 },
    request: { url: 'https://shop.example/', assertions: [{ source: 'STATUS_CODE', target: '200' }] },
  })
  const edit = await visitPage(plane, cookie, `/app/do/put/v1/checks/url/${id}`)
  t.match(edit.text, 'value="Shop &lt;b&gt;"')
  t.match(edit.text, /<input type="radio" name="body.frequency" value="5" checked>/)
  t.match(edit.text, 'shop\nproduction</textarea>')
  const etag = edit.text.match(/name="_etag" value="([^"]*)"/)?.[1]?.replaceAll('&quot;', '"') ?? ''
  t.not(etag, '')
  const changed = {
    ...check,
    'body.name': 'Shop',
    'body.tags': '',
    'body.retryStrategy._on': '',
    _etag: etag,
  }
  t.equal(
    (await visitPage(plane, cookie, `/app/do/patch/v1/checks/url/${id}`, changed)).location,
    `/app/checks/${id}?said=saved`,
  )
  t.match((await plane.call('GET', `/v1/checks/${id}`)).body, { name: 'Shop', tags: [], retryStrategy: null })
  const late = await visitPage(plane, cookie, `/app/do/put/v1/checks/url/${id}`, {
    ...changed,
    'body.name': 'Late',
  })
  t.equal(late.status, 400, 'what somebody else changed meanwhile is not written over')
  t.match(late.text, 'value="Late"')
  t.equal((await plane.call('GET', `/v1/checks/${id}`)).body.name, 'Shop')
})

t.test('what is wrong is said where it is wrong, and nothing that was typed is lost', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const wrong = {
    ...check,
    'body.request.url': 'ftp://x',
    'body.degradedResponseTime': 'soon',
    'body.name': '',
  }
  const { status, text } = await visitPage(plane, cookie, '/app/do/post/v1/checks/url', {
    ...wrong,
    _do: 'save',
  })
  t.equal(status, 400)
  for (const name of ['request-url', 'degradedResponseTime', 'name']) {
    t.match(text, `id="f-body-${name}-error"`, name)
    t.match(text, `href="#f-body-${name}"`, name)
  }
  t.match(text, 'value="ftp://x"')
  t.match(text, 'shop\nproduction</textarea>')
  t.match(text, /value="LINEAR" selected/)
  const more = await visitPage(plane, cookie, '/app/do/post/v1/checks/url', {
    ...check,
    _do: 'add:body.request.assertions',
  })
  t.equal(more.status, 200)
  t.match(more.text, 'name="body.request.assertions.1.source"')
  const fewer = await visitPage(plane, cookie, '/app/do/post/v1/checks/url', {
    ...check,
    _do: 'remove:body.request.assertions.0',
  })
  t.notMatch(fewer.text, 'name="body.request.assertions.0.source"')
  t.strictSame((await plane.call('GET', '/v1/checks')).body, [])
})

t.test('secrets are shown once or not at all', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  await visitPage(plane, cookie, '/app/do/post/v1/variables', {
    ...{ 'body.key': 'PASSWORD', 'body.value': 'hunter2-hunter2', 'body.secret': 'true' },
  })
  for (const path of ['/app/variables', '/app/do/put/v1/variables/PASSWORD'])
    t.notMatch((await visitPage(plane, cookie, path)).text, 'hunter2')
  const made = await visitPage(plane, cookie, `/app/do/post/v1/private-locations/${plane.locationId}/keys`, {
    _do: 'save',
  })
  t.match(made.text, /pl_[0-9a-f]{32}/)
  t.equal(made.headers.get('cache-control'), 'private, no-store')
  t.notMatch((await visitPage(plane, cookie, `/app/locations/${plane.locationId}`)).text, /pl_[0-9a-f]{32}/)
})

t.test('what a check says by an older name is shown by its present one, and kept', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const { body } = await plane.call('POST', '/v1/checks/tcp', {
    body: { name: 'Store', request: { url: 'db.example.com', port: 5432 }, privateLocations: ['local'] },
  })
  const path = `/app/do/put/v1/checks/tcp/${body.id}`
  const edit = await visitPage(plane, cookie, path)
  t.match(edit.text, /name="body\.request\.hostname"[^>]* value="db\.example\.com"/)
  t.notMatch(edit.text, 'body.request.url')
  const form = sentAsShown(edit.text)
  form.set('body.name', 'Database')
  form.set('_do', 'save')
  t.equal((await visitPage(plane, cookie, path, form)).status, 303)
  t.match((await plane.call('GET', `/v1/checks/${body.id}`)).body, {
    name: 'Database',
    request: { port: 5432 },
  })
})

t.test('how often a check runs is one choice, in a new form and in one that changes it', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const checked = (text: string): string | undefined =>
    text.match(/name="body\.frequency" value="(\w+)" checked/)?.[1]
  const fresh = await visitPage(plane, cookie, '/app/do/post/v1/checks/url')
  t.equal(checked(fresh.text), '1', 'a minute, unless it is chosen otherwise')
  t.notMatch(fresh.text, 'frequencyOffset')
  const save = async (fields: Record<string, string>) => {
    const form = { ...check, 'body.retryStrategy._on': '', _do: 'save', ...fields }
    const made = await visitPage(plane, cookie, '/app/do/post/v1/checks/url', form)
    const id = made.location?.match(/checks\/([0-9a-f-]+)/)?.[1] ?? ''
    return { id, body: (await plane.call('GET', `/v1/checks/${id}`)).body }
  }
  const thirty = await save({ 'body.frequency': 's30' })
  t.match(thirty.body, { frequency: 0, frequencyOffset: 30 })
  const day = await save({ 'body.frequency': 'other', 'body.frequencyOther': '1440' })
  t.match(day.body, { frequency: 1440 })
  const edit = (id: string) => visitPage(plane, cookie, `/app/do/put/v1/checks/url/${id}`)
  t.equal(checked((await edit(thirty.id)).text), 's30')
  const { text } = await edit(day.id)
  t.equal(checked(text), 'other')
  t.match(text, '<option value="1440" selected>every 1 day</option>')
})

t.test('what is folded says how it is, and the bar says who will be told', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const look = async (fields: Record<string, string>) =>
    (await visitPage(plane, cookie, '/app/do/post/v1/checks/api', { ...fields, _do: 'look' })).text
  t.match(
    (await visitPage(plane, cookie, '/app/do/post/v1/checks/api')).text,
    'Nobody is told when it fails.',
  )
  const channelOf = async (address: string) =>
    (await plane.call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config: { address } } })).body.id
  const ids = [await channelOf('ada@example.com'), await channelOf('bob@example.com')]
  const both = await visitPage(plane, cookie, '/app/do/post/v1/checks/api')
  t.match(both.text, 'Email ada@example.com and Email bob@example.com will be told when it fails.')
  const filled = await look({
    'query.autoAssignAlerts': 'false',
    'body.alertChannelSubscriptions[]': String(ids[1]),
    'body.retryStrategy._on': 'true',
    'body.retryStrategy.maxRetries': '2',
    'body.retryStrategy.baseBackoffSeconds': '10',
    'body.request.headers.0.key': 'x-shop',
    'body.request.headers.0.value': 'eu',
    'body.tags': 'shop',
    'body.maxResponseTime': '8000',
  })
  t.match(filled, '>Email bob@example.com will be told when it fails.<')
  t.match(filled, '>2 times, 10 s apart')
  t.match(filled, '>1 header (x-shop)')
  t.match(filled, '>no group · shop<')
  t.match(filled, 'failed from 8 s')
  t.match(await look({ 'body.muted': 'true' }), 'Nobody is told when it fails: it is muted.')
  t.strictSame((await plane.call('GET', '/v1/checks')).body, [], 'to look saves nothing')
})

t.test('what is wrong is said in words, and never as a pattern', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const { status, text } = await visitPage(plane, cookie, '/app/do/post/v1/checks/url', {
    ...check,
    'body.request.url': 'shop.example',
    'body.frequency': '7',
    'body.degradedResponseTime': '9000',
    'body.maxResponseTime': '99000',
    _do: 'save',
  })
  t.equal(status, 400)
  t.match(text, 'Address: has to be an address that begins with http:// or https://')
  t.match(text, 'How often: choose one of the list')
  t.match(text, 'has to be at most 30000')
  t.notMatch(text, /\^\[hH\]|must match|must be one of|"request\.url"/)
})
