import t from 'tap'
import {
  alertSettingsOf,
  escalationOf,
  failureShareOf,
  remindersOf,
} from '../../../../control-plane/alerting/engine/alert-rules.ts'

const account = { reminders: { amount: 1 } }
const own = { reminders: { amount: 2 } }
const groups = { reminders: { amount: 3 } }

const check = (useGlobalAlertSettings: boolean, alertSettings: object | null = own) => ({
  alertSettings,
  useGlobalAlertSettings,
})
const group = (useGlobalAlertSettings: boolean | null, alertSettings: object | null) => ({
  alertSettings,
  useGlobalAlertSettings,
})

t.test('account, group or check', async (t) => {
  t.strictSame(alertSettingsOf(check(true), null, account), { settings: account, origin: 'account' })
  t.strictSame(alertSettingsOf(check(false), null, account), { settings: own, origin: 'check' })
  t.strictSame(alertSettingsOf(check(false, null), null, account), { settings: {}, origin: 'check' })
  const silent = group(null, null)
  t.strictSame(alertSettingsOf(check(false), silent, account), { settings: own, origin: 'check' })
  t.strictSame(alertSettingsOf(check(true), silent, account), { settings: account, origin: 'account' })
  t.strictSame(alertSettingsOf(check(true), group(false, groups), account), {
    settings: groups,
    origin: 'group',
  })
  t.strictSame(alertSettingsOf(check(false), group(null, groups), account).origin, 'group')
  t.strictSame(alertSettingsOf(check(false), group(true, groups), account).origin, 'account')
})

t.test('what is left out has the default of the interface', async (t) => {
  t.strictSame(escalationOf({}), { runs: 1 })
  t.strictSame(escalationOf({ escalationType: 'TIME_BASED' }), { afterMs: 300_000 })
  t.strictSame(remindersOf({}), { amount: 0, intervalMs: 300_000 })
  t.equal(failureShareOf({}), null)
  t.equal(failureShareOf({ parallelRunFailureThreshold: { enabled: false, percentage: 50 } }), null)
  t.equal(failureShareOf({ parallelRunFailureThreshold: { enabled: true } }), 10)
})
