import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import {
  createOne,
  type FieldRule,
  field,
  type Resource,
  refused,
  required,
} from '../../support/field-rules.ts'
import { hasShape } from '../../support/shapes.ts'

const page: Resource = {
  create: '/v1/status-pages',
  minimum: ({ app }) => ({ name: 'Status', url: `page-${app.newId()}`, cards: [] }),
}
const on = (path: string, rule: FieldRule): RuleTest => field(page, path, rule)
const addressOrNull = (path: string): RuleTest =>
  on(path, { valid: ['https://example.com/logo.png', null], invalid: [[1, 'type']] })

const colorNames = [
  ...['bodyBackgroundColor', 'headerBackgroundColor', 'headerFontColor', 'titleFontColor', 'bodyFontColor'],
  ...['bodyFontColorMuted', 'navigationFontColor', 'linkFontColor', 'cardBackgroundColor', 'borderColor'],
  ...['primaryButtonBackgroundColor', 'primaryButtonFontColor'],
]
/** Text in one colour on all else in another. */
const palette = (text = '#101820', back = '#F4F5F7') =>
  Object.fromEntries(colorNames.map((name) => [name, name.includes('Font') ? text : back]))

/** A page is never read with the same address twice. */
const urlRule: RuleTest = async (t, plane) => {
  const url = `page-${plane.app.newId()}`
  t.equal((await createOne(t, plane, page, { url })).url, url)
  await on('url', {
    invalid: [
      [1, 'type'],
      [null, 'type'],
    ],
  })(t, plane)
}

testRules('Status page, card, service', {
  'status page id: text': async (t, plane) => hasShape(t, await createOne(t, plane, page), { id: 'text' }),
  'status page name: text, required': each(
    required(page, 'name'),
    on('name', { valid: ['Status'], invalid: [[1, 'type']] }),
  ),
  'status page url: text, required': each(required(page, 'url'), urlRule),
  'status page cards: a list, required on creation': each(
    required(page, 'cards'),
    on('cards', { valid: [[], [{ name: 'Shop' }]], invalid: [[{}, 'type']] }),
  ),
  'status page description: text or null, at most 500 characters': on('description', {
    valid: [null, '', 'x'.repeat(500)],
    invalid: [
      ['x'.repeat(501), 'maxLength'],
      [1, 'type'],
    ],
  }),
  'status page customDomain: text or null': async (t, plane) => {
    const customDomain = `${plane.app.newId()}.example.com`
    await on('customDomain', { valid: [customDomain, null], invalid: [[1, 'type']] })(t, plane)
  },
  'status page themeColors: light and dark, twelve colours each': each(
    on('themeColors', {
      valid: [{ light: palette(), dark: palette('#FFFFFF', '#000000') }],
      invalid: [
        [{ light: palette() }, 'themeColors.dark required'],
        [{ dark: palette() }, 'themeColors.light required'],
      ],
    }),
    ...colorNames.map((name) =>
      on('themeColors', {
        invalid: [
          [{ light: { ...palette(), [name]: 7 }, dark: palette() }, `themeColors.light.${name} type`],
        ],
      }),
    ),
  ),
  'status page logo: text or null': addressOrNull('logo'),
  'status page redirectTo: text or null': addressOrNull('redirectTo'),
  'status page favicon: text or null': addressOrNull('favicon'),
  'status page defaultTheme: LIGHT, DARK or AUTO, default AUTO': on('defaultTheme', {
    byDefault: 'AUTO',
    valid: ['LIGHT', 'DARK', 'AUTO'],
    invalid: [['BLUE', 'enum']],
  }),
  'status page whiteLabel: boolean': on('whiteLabel', { valid: [true, false], invalid: [[1, 'type']] }),
  'status page isPrivate: boolean, default false': on('isPrivate', {
    byDefault: false,
    valid: [true, false],
    invalid: [[1, 'type']],
  }),
  'every field of a status page is in what is read, with its type': async (t, plane) =>
    hasShape(t, await createOne(t, plane, page), {
      id: 'text',
      name: 'text',
      url: 'text',
      cards: 'list',
      description: 'text?',
      customDomain: 'text?',
      themeColors: 'object?',
      logo: 'text?',
      redirectTo: 'text?',
      favicon: 'text?',
      defaultTheme: 'text',
      whiteLabel: 'boolean',
      isPrivate: 'boolean',
    }),
  'card: a request has name, id, statusPageId and services': async (t, plane) => {
    const service = await plane.call('POST', '/v1/status-pages/services', { body: { name: 'shop' } })
    const services = [{ id: service.body.id }]
    const { id, cards, name, url } = await createOne(t, plane, page, { cards: [{ name: 'Shop', services }] })
    const card = { name: 'Shop', id: cards[0].id, statusPageId: id, services }
    const changed = await plane.call('PUT', `/v1/status-pages/${id}`, { body: { name, url, cards: [card] } })
    t.equal(changed.status, 200, changed.text)
    t.equal(changed.body.cards[0].id, card.id)
    for (const [cardPart, expected] of [
      [{ name: 1 }, 'cards.0.name type'],
      [{ id: 1 }, 'cards.0.id type'],
      [{ statusPageId: 1 }, 'cards.0.statusPageId type'],
      [{ services: [{ id: 1 }] }, 'cards.0.services.0.id type'],
    ] as const) {
      const body = { ...(await page.minimum(plane)), cards: [{ name: 'Shop', ...cardPart }] }
      await refused(t, plane, { path: page.create, body, expected })
    }
  },
  'card: a response has id, name, created_at, updated_at and services': async (t, plane) => {
    const { cards } = await createOne(t, plane, page, { cards: [{ name: 'Shop' }] })
    hasShape(t, cards[0], {
      id: 'text',
      name: 'text',
      created_at: 'instant',
      updated_at: 'instant?',
      services: 'list',
    })
  },
  'service: id, name, accountId, created_at and updated_at': async (t, plane) => {
    const { body } = await plane.call('POST', '/v1/status-pages/services', { body: { name: 'shop' } })
    const read = await plane.call('GET', `/v1/status-pages/services/${body.id}`)
    t.equal(read.status, 200)
    hasShape(t, read.body, {
      id: 'text',
      name: 'text',
      accountId: 'text',
      created_at: 'instant',
      updated_at: 'instant?',
    })
    t.equal(read.body.accountId, plane.accountId)
  },
})
