import type { TestApp } from '../../support/app.ts'
import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import {
  createOne,
  type FieldRule,
  field,
  type Resource,
  required,
  responseOnly,
} from '../../support/field-rules.ts'
import { hasShape } from '../../support/shapes.ts'

const window: Resource = {
  create: '/v1/maintenance-windows',
  minimum: () => ({
    name: 'Upgrade',
    startsAt: '2027-01-01T10:00:00.000Z',
    endsAt: '2027-01-01T11:00:00.000Z',
  }),
}
const on = (path: string, rule: FieldRule): RuleTest => field(window, path, rule)
const boolean = (path: string): RuleTest => on(path, { valid: [true, false], invalid: [['yes', 'type']] })
const visibility = (name: string): RuleTest =>
  on(`statusPageVisibility.${name}`, {
    valid: [true, false],
    invalid: [['yes', 'type']],
  })

/** A page with a service on a card, for the window to name. */
const withPage = async (plane: TestApp) => {
  const service = await plane.call('POST', '/v1/status-pages/services', { body: { name: 'shop' } })
  const services = [{ id: service.body.id }]
  const body = { name: 'Status', url: `page-${plane.app.newId()}`, cards: [{ name: 'Shop', services }] }
  const page = await plane.call('POST', '/v1/status-pages', { body })
  return { statusPageIds: [page.body.id], serviceIds: [service.body.id] }
}

const linked =
  (name: 'statusPageIds' | 'serviceIds'): RuleTest =>
  async (t, plane) => {
    const ids = await withPage(plane)
    const shown = await createOne(t, plane, window, { statusPageVisibility: { enabled: true, ...ids } })
    t.strictSame(shown.statusPageVisibility[name], ids[name])
    await on(`statusPageVisibility.${name}`, {
      invalid: [
        ['x', 'type'],
        [[1], `statusPageVisibility.${name}.0 type`],
      ],
    })(t, plane)
  }

const repeating = { repeatInterval: 1, repeatUnit: 'WEEK', repeatEndsAt: '2027-06-01' }

testRules('Maintenance window', {
  'id: number': each(responseOnly(window, 'id', 7), async (t, plane) =>
    hasShape(t, await createOne(t, plane, window), { id: 'number' }),
  ),
  'name: text, required': each(
    required(window, 'name'),
    on('name', { valid: ['a'], invalid: [[1, 'type']] }),
  ),
  'startsAt: date, required': each(
    required(window, 'startsAt'),
    on('startsAt', {
      valid: ['2027-01-01T09:00:00.000Z'],
      invalid: [
        [1, 'type'],
        ['tomorrow', 'pattern'],
      ],
    }),
    async (t, plane) => {
      const shown = await createOne(t, plane, window, { startsAt: '2027-01-01' })
      t.equal(shown.startsAt, '2027-01-01T00:00:00.000Z', 'a calendar date is its midnight')
    },
  ),
  'endsAt: date, required': each(
    required(window, 'endsAt'),
    on('endsAt', {
      valid: ['2027-01-01T12:00:00.000Z'],
      invalid: [
        [1, 'type'],
        ['tomorrow', 'pattern'],
      ],
    }),
  ),
  'created_at: date': async (t, plane) =>
    hasShape(t, await createOne(t, plane, window), { created_at: 'instant' }),
  'updated_at: date or null': async (t, plane) => {
    const { id, updated_at } = await createOne(t, plane, window)
    t.equal(updated_at, null, 'null until it is changed')
    const changed = await plane.call('PUT', `${window.create}/${id}`, { body: { name: 'Later' } })
    hasShape(t, changed.body, { updated_at: 'instant' })
  },
  'tags: list of text': on('tags', {
    valid: [[], ['a', 'b']],
    invalid: [
      ['a', 'type'],
      [[1], 'tags.0 type'],
    ],
  }),
  'repeatInterval: number or null': on('repeatInterval', {
    beside: { repeatUnit: 'WEEK', repeatEndsAt: '2027-06-01' },
    valid: [1, 2],
    invalid: [
      ['1', 'type'],
      [0, 'minimum'],
    ],
  }),
  'repeatUnit: DAY, WEEK, MONTH or null': each(
    on('repeatUnit', {
      beside: { repeatInterval: 1, repeatEndsAt: '2027-06-01' },
      valid: ['DAY', 'WEEK', 'MONTH'],
      invalid: [['YEAR', 'enum']],
    }),
    on('repeatUnit', { valid: [null] }),
    on('repeatInterval', { valid: [null] }),
  ),
  'repeatEndsAt: date or null': each(
    on('repeatEndsAt', {
      beside: { repeatInterval: 1, repeatUnit: 'WEEK' },
      valid: ['2027-06-01'],
      invalid: [
        [1, 'type'],
        ['never', 'pattern'],
      ],
    }),
    on('repeatEndsAt', { valid: [null] }),
  ),
  'description: text or null': on('description', { valid: ['', 'x', null], invalid: [[1, 'type']] }),
  'statusPageVisibility: an object': on('statusPageVisibility', { invalid: [['x', 'type']] }),
  'statusPageVisibility.enabled: boolean': visibility('enabled'),
  'statusPageVisibility.affectAllServices: boolean': visibility('affectAllServices'),
  'statusPageVisibility.suppressAutoIncidents: boolean': visibility('suppressAutoIncidents'),
  'statusPageVisibility.notifyOnStart: boolean': visibility('notifyOnStart'),
  'statusPageVisibility.notifyOnEnd: boolean': visibility('notifyOnEnd'),
  'statusPageVisibility.autoStart: boolean': visibility('autoStart'),
  'statusPageVisibility.autoEnd: boolean': visibility('autoEnd'),
  'statusPageVisibility.reminderMinutesBefore: list of numbers': on(
    'statusPageVisibility.reminderMinutesBefore',
    {
      valid: [[], [60], [60, 1440, 10_080]],
      invalid: [
        [60, 'type'],
        [['60'], 'statusPageVisibility.reminderMinutesBefore.0 type'],
      ],
    },
  ),
  'statusPageVisibility.statusPageIds: list of text': linked('statusPageIds'),
  'statusPageVisibility.serviceIds: list of text': linked('serviceIds'),
  'pauseAllChecks: boolean': boolean('pauseAllChecks'),
  'silenceAlertsTags: list of text': on('silenceAlertsTags', {
    valid: [[], ['a', 'b']],
    invalid: [
      ['a', 'type'],
      [[1], 'silenceAlertsTags.0 type'],
    ],
  }),
  'silenceAllAlerts: boolean': boolean('silenceAllAlerts'),
  'every field of the table is in what is read, with its type': async (t, plane) => {
    const shown = await createOne(t, plane, window, repeating)
    hasShape(t, shown, {
      id: 'number',
      name: 'text',
      startsAt: 'instant',
      endsAt: 'instant',
      created_at: 'instant',
      updated_at: 'instant?',
      tags: 'texts',
      repeatInterval: 'number?',
      repeatUnit: 'text?',
      repeatEndsAt: 'date?',
      description: 'text?',
      statusPageVisibility: 'object',
      pauseAllChecks: 'boolean',
      silenceAlertsTags: 'texts',
      silenceAllAlerts: 'boolean',
    })
    hasShape(t, shown.statusPageVisibility, {
      enabled: 'boolean',
      affectAllServices: 'boolean',
      suppressAutoIncidents: 'boolean',
      notifyOnStart: 'boolean',
      notifyOnEnd: 'boolean',
      autoStart: 'boolean',
      autoEnd: 'boolean',
      reminderMinutesBefore: 'list',
      statusPageIds: 'texts',
      serviceIds: 'texts',
    })
  },
})
