// Runs on both engines in test:all: its statements run in no other file.
/** Lists in forms are searched, and many are chosen at once; without a script, as a browser sends it. */
import t from 'tap'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'

const make = async (plane: TestApp, path: string, body: object): Promise<string> => {
  const answer = await plane.call('POST', path, { body })
  if (answer.status >= 300) throw new Error(answer.text)
  return String(answer.body.id)
}

const numbers = Array.from({ length: 60 }, (_, at) => at + 1)

const path = '/app/do/post/v1/checks/api'

/** The part of a page with that id, up to the next field. */
const part = (text: string, id: string): string =>
  new RegExp(`id="${id}".*?(?=<fieldset|<div class="field|</section>)`, 's').exec(text)?.[0] ?? ''

eachEngine('of many things a few are shown, and the others are found by their names', async (t, plane) => {
  const cookie = await sessionOf(plane)
  const ids = new Map<string, string>()
  for (const each of numbers) {
    ids.set(`group ${each}`, await make(plane, '/v2/check-groups', { name: `Group ${each}`, tags: ['shop'] }))
    const config = { address: `person-${each}@example.com` }
    ids.set(`channel ${each}`, await make(plane, '/v1/alert-channels', { type: 'EMAIL', config }))
    await make(plane, '/v1/private-locations', { name: `Place ${each}`, slugName: `place-${each}` })
    ids.set(`snippet ${each}`, await make(plane, '/v1/snippets', { name: `snippet-${each}`, script: '1' }))
    ids.set(`service ${each}`, await make(plane, '/v1/status-pages/services', { name: `Service ${each}` }))
  }
  const ask = async (act: string, fields: Record<string, string>) =>
    (await visitPage(plane, cookie, path, { ...fields, _do: act })).text
  const fresh = (await visitPage(plane, cookie, path)).text
  t.match(fresh, 'The first 50 are shown: search for others.')
  t.notMatch(part(fresh, 'f-body-groupId-options'), 'Group 9<', 'sorted by name, it is behind the fiftieth')
  for (const [name, word, label] of [
    ['groupId', 'group 57', '>Group 57<'],
    ['alertChannelId', 'person-57@', '> Email person-57@example.com<'],
    ['privateLocations', 'PLACE 57', '> Place 57<'],
    ['setupSnippetId', 'snippet-57', '>snippet-57<'],
    ['serviceId', 'ice 57', '>Service 57<'],
  ] as const) {
    const found = await ask(`find:${name}`, { [`find.${name}`]: word })
    t.match(found, label, name)
    t.match(found, `name="find.${name}" value="${word}"`)
  }
  t.match(await ask('find:groupId', { 'find.groupId': '%' }), 'Nothing is called “%”.', 'a part of the name')

  const chosen = {
    ...{ 'body.groupId': ids.get('group 57') ?? '', 'find.groupId': 'group 1', 'found.groupId': 'group 1' },
    'body.alertChannelSubscriptions[]': ids.get('channel 58') ?? '',
  }
  const still = await ask('look', chosen)
  t.match(still, /value="\d+" selected>Group 57</, 'what is chosen stays so, by its name')
  t.match(still, /checked> Email person-58@example.com/)
  const name = {
    'body.name': 'Shop',
    'body.request.url': 'https://shop.example/',
    'body.request.method': 'GET',
    'body.activated': 'true',
  }
  const saved = await visitPage(plane, cookie, path, { ...chosen, ...name, _do: 'save' })
  const id = /checks\/([0-9a-f-]{36})/.exec(saved.text + saved.location)?.[1] ?? ''
  const { body } = await plane.call('GET', `/v1/checks/${id}`)
  t.match(body, {
    groupId: Number(ids.get('group 57')),
    alertChannelSubscriptions: [{ alertChannelId: Number(ids.get('channel 58')) }],
  })
  const edit = (await visitPage(plane, cookie, `/app/do/put/v1/checks/api/${id}`)).text
  t.match(edit, /value="\d+" selected>Group 57</)
  t.match(edit, /checked> Email person-58@example.com/)
})

eachEngine('those that are found are ticked at once', async (t, plane) => {
  const cookie = await sessionOf(plane)
  for (const each of numbers.slice(0, 12))
    await make(plane, '/v1/private-locations', {
      name: `Place ${each % 2 === 0 ? 'north' : 'south'} ${each}`,
      slugName: `place-${each}`,
    })
  const ask = async (act: string, fields: Record<string, string>) =>
    (await visitPage(plane, cookie, path, { ...fields, _do: act })).text
  const ticked = (text: string): string[] =>
    [...text.matchAll(/name="body\.privateLocations\[\]" value="([^"]*)" checked/g)].map(
      ([, each = '']) => each,
    )
  const north = { 'find.privateLocations': 'north', 'found.privateLocations': 'north' }
  const all = await ask('all:body.privateLocations', { ...north, 'body.privateLocations[]': 'place-1' })
  t.equal(ticked(all).length, 7, 'six in the north, and the one that was chosen before')
  t.strictSame(ticked(await ask('none:body.privateLocations', north)), [])
})

t.test('Enter in a search looks, and does not save', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  for (const each of numbers.slice(0, 10)) await make(plane, '/v2/check-groups', { name: `Group ${each}` })
  const filled = {
    'body.name': 'Shop',
    'body.request.url': 'https://shop.example/',
    'body.request.method': 'GET',
    _do: 'enter',
  }
  const searching = { ...filled, 'find.groupId': 'group 1', 'found.groupId': '' }
  const looked = await visitPage(plane, cookie, path, searching)
  t.equal(looked.status, 200)
  t.match(looked.text, 'value="Shop"')
  t.strictSame((await plane.call('GET', '/v1/checks')).body, [])
  await visitPage(plane, cookie, path, { ...filled, 'find.groupId': 'group 1', 'found.groupId': 'group 1' })
  t.equal((await plane.call('GET', '/v1/checks')).body.length, 1, 'in another field it saves')
})

eachEngine('tags that are there are offered, and put among those that are written', async (t, plane) => {
  const cookie = await sessionOf(plane)
  await make(plane, '/v2/check-groups', { name: 'Shop', tags: ['shop', '="x" <b>'] })
  const request = { url: 'https://shop.example/' }
  for (const tags of [['shop', 'eu'], ['shop']])
    await make(plane, '/v1/checks/url', { name: 'Shop', request, tags, privateLocations: ['local'] })
  const fresh = (await visitPage(plane, cookie, path)).text
  t.strictSame(
    [...fresh.matchAll(/value="put:body\.tags=([^"]*)"/g)].map(([, tag]) => tag),
    ['shop', '=&quot;x&quot; &lt;b&gt;', 'eu'],
    'the most used first',
  )
  const put = await visitPage(plane, cookie, path, {
    ...{ 'body.tags': 'blog', _do: 'put:body.tags=="x" <b>' },
  })
  t.match(put.text, 'blog\n=&quot;x&quot; &lt;b&gt;</textarea>')
  t.notMatch(put.text, 'put:body.tags==', 'it is offered no more')
})
