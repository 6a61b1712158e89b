/** A check type is one record on each side of the wire: here they are held against each other. */
import t from 'tap'
import { runners } from '../../agent/checks/index.ts'
import { checkKinds } from '../../control-plane/monitoring/definitions/checks/types/index.ts'
import { exampleOf } from '../../control-plane/platform/web/http/openapi/example-of.ts'
import { checkTypes, isRunnable, protocolOf } from '../../protocol/check-type.ts'
import { testApp } from '../support/app.ts'
import { storeCheck, storeResult } from '../support/stored-results.ts'

/** Nothing of a heartbeat is run: its results are pings. */
const ran = checkTypes.filter((type) => checkKinds[type].scheduled)

t.test('every type has its entry in the registries, under its own name', async (t) => {
  t.strictSame(Object.keys(checkKinds).toSorted(), checkTypes.toSorted())
  for (const type of checkTypes) t.equal(checkKinds[type].type, type)
})

t.test(
  'what has a spec has a runner, a detail and somebody who reads it, and nothing else has',
  async (t) => {
    for (const type of checkTypes) {
      const { detail } = protocolOf(type)
      t.equal(type in runners, isRunnable(type), `${type}: a runner`)
      t.equal(detail !== null, isRunnable(type), `${type}: a detail`)
      t.equal(checkKinds[type].detail !== undefined, isRunnable(type), `${type}: sections of its page`)
    }
  },
)

t.test('types with the same result property have the same detail', async (t) => {
  const details = Map.groupBy(ran, (type) => protocolOf(type).resultProperty)
  for (const [property, types] of details)
    t.equal(new Set(types.map((type) => protocolOf(type).detail)).size, 1, String(property))
})

const runsScript = (type: string): boolean => ['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT'].includes(type)

t.test('every check type has its result property in the answer', async (t) => {
  const plane = await testApp(t)
  const at = plane.app.clock.now() - 60_000
  for (const type of ran) {
    const { resultProperty, detail } = protocolOf(type)
    if (resultProperty === null) return void t.fail(`${type} has no result property`)
    const checkId = await storeCheck(plane, { type })
    const seen = detail === null ? {} : { [resultProperty]: exampleOf(detail) }
    await storeResult(plane, { checkId, checkType: type, at, doc: seen })
    const { status, body } = await plane.call('GET', `/v2/check-results/${checkId}`)
    t.equal(status, 200)
    const [result] = body.entries
    t.match(result, { checkType: type })
    for (const other of ran) {
      const property = protocolOf(other).resultProperty ?? ''
      t.ok(property in result, `${type} has ${property}`)
      if (property !== resultProperty) t.equal(result[property], null, `${type}: ${property}`)
    }
    if (detail === null) t.equal(result[resultProperty], null)
    // Scripts have no assertions of ours: they say what went wrong.
    else
      t.match(
        result[resultProperty],
        runsScript(type) ? { errors: [] } : { assertions: [] },
        `${type} shows what was seen`,
      )
  }
})
