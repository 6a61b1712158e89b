// Runs on both engines: pieces of one statement, each with its own order and limit.
/** The list by state, walked page by page, is the list sorted by state; whichever states an account has. */
import t from 'tap'
import {
  type OrderCursor,
  orderedChecks,
} from '../../../../../control-plane/monitoring/definitions/checks/list-queries.ts'
import { statesInOrder } from '../../../../../control-plane/monitoring/definitions/checks/places-by-state.ts'
import { recordStatus } from '../../../../../control-plane/monitoring/watches/check-statuses/queries.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { randomFrom } from '../../../../support/random.ts'
import { storeCheck } from '../../../../support/stored-results.ts'

type State = (typeof statesInOrder)[number]
type Made = { id: string; createdAt: number; place: number }

const addCheck = async (service: TestApp, accountId: string, state: State): Promise<Made> => {
  const { app } = service
  const now = app.clock.now()
  const checkId = await storeCheck({ app, accountId }, { activated: state !== 'paused' })
  if (state !== 'waiting')
    await app.db.run(recordStatus, {
      ...{
        checkId,
        accountId,
        state: 'passing',
        hasFailures: false,
        hasErrors: false,
      },
      ...{ isDegraded: false, longestRunMs: 1, shortestRunMs: 1, updatedAt: null, location: 'local' },
      ...{ checkRunId: now, startedAt: now, sslDaysRemaining: null, now },
    })
  // As of a check that did badly before it was paused.
  const stored = state === 'paused' ? 'failing' : state
  await app.db.execute((k) =>
    k.updateTable('check_statuses').set({ state: stored }).where('check_id', '=', checkId),
  )
  return { id: checkId, createdAt: now, place: statesInOrder.indexOf(state) }
}

const expected = (made: readonly Made[], isReversed: boolean): string[] =>
  made
    .toSorted(
      (a, b) =>
        (isReversed ? b.place - a.place : a.place - b.place) ||
        a.createdAt - b.createdAt ||
        (a.id < b.id ? -1 : 1),
    )
    .map(({ id }) => id)

const walked = async ({ app, accountId }: TestApp, limit: number, isReversed: boolean): Promise<string[]> => {
  const ids: string[] = []
  let after: OrderCursor | undefined
  for (;;) {
    const page = await orderedChecks(app.db, { accountId }, { order: 'state', isReversed, after, limit })
    ids.push(...page.map(({ id }) => id))
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return ids
    after = { key: last.key, createdAt: last.created_at, id: last.id }
  }
}

for (const engine of engineNames) {
  t.test(`every page of every account (${engine})`, async (t) => {
    const random = randomFrom(20_261_129)
    const service = await testApp(t, { engine })
    const { accountId, advance, addKey } = service
    const other = (await addKey()).accountId
    const made: Made[] = []
    // The account grows from nothing; what is in it decides which pieces are empty.
    for (let round = 0; round < 12; round++) {
      for (const isReversed of [false, true]) {
        const limit = 1 + Math.floor(random() * 9)
        t.strictSame(await walked(service, limit, isReversed), expected(made, isReversed), `${limit} a page`)
      }
      for (let n = 0; n < 4; n++) {
        const state = statesInOrder[Math.floor(random() * statesInOrder.length)] as State
        if (random() < 0.6) advance(1000)
        made.push(await addCheck(service, accountId, state))
        await addCheck(service, other, state)
      }
    }
  })

  t.test(`as the list is that a filter leaves whole, and by offset (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { app, accountId } = service
    for (const state of [...statesInOrder, ...statesInOrder]) await addCheck(service, accountId, state)
    const place = { order: 'state', limit: 5 } as const
    for (const offset of [0, 4, 11]) {
      const own = await orderedChecks(app.db, { accountId, everyTag: [] }, { ...place, offset })
      const sorted = await orderedChecks(app.db, { accountId, checkType: 'URL' }, { ...place, offset })
      t.strictSame(own, sorted)
    }
    const after = { key: 99, createdAt: 0, id: '' }
    t.strictSame(await orderedChecks(app.db, { accountId }, { ...place, after }), [], 'behind no state')
  })
}
