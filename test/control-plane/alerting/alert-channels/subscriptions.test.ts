// Runs on both engines in test:all: rows that are there already are changed instead.
import t, { type Test } from 'tap'
import {
  alertingOfChecks,
  dropSubscriptions,
  setSubscriptions,
  subscribeAuto,
  subscribeToAll,
  subscriptionsOf,
} from '../../../../control-plane/alerting/alert-channels/subscriptions.ts'
import type { Engine } from '../../../../control-plane/platform/store/database/engines.ts'
import type { Role } from '../../../../control-plane/platform/words/shapes/roles.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const withChannels = async (t: Test, engine: Engine['name']) => {
  const given = await testApp(t, { engine })
  const add = async (body: object): Promise<number> =>
    (await given.call('POST', '/v1/alert-channels', { body })).body.id
  const email = await add({ type: 'EMAIL', config: { address: 'a@example.com' } })
  const auto = await add({ type: 'SMS', config: { number: '+4915112345', name: 'Ada' }, autoSubscribe: true })
  return { ...given, add, email, auto, checkId: given.app.newId() }
}

const idsOf = async ({ app, accountId }: TestApp, subject: { checkId: string } | { groupId: number }) =>
  (await subscriptionsOf(app.db, { accountId, ...subject })).map(({ alertChannelId }) => alertChannelId)

for (const engine of engineNames) {
  t.test(
    `autoAssignAlerts subscribes to all channels, autoSubscribe to those that ask (${engine})`,
    async (t) => {
      const given = await withChannels(t, engine)
      const { app, accountId, email, auto, checkId } = given
      await app.db.transaction((trx) => subscribeAuto(trx, { accountId, checkId }))
      t.strictSame(await idsOf(given, { checkId }), [auto])
      await app.db.transaction((trx) => subscribeToAll(trx, { accountId, checkId }))
      t.strictSame(await idsOf(given, { checkId }), [email, auto], 'no channel twice')
      await app.db.transaction((trx) => subscribeToAll(trx, { accountId, groupId: 4 }))
      t.strictSame(await idsOf(given, { groupId: 4 }), [email, auto])
      await app.db.transaction((trx) => dropSubscriptions(trx, { accountId, checkId }))
      t.strictSame(await idsOf(given, { checkId }), [])
      t.strictSame(await idsOf(given, { groupId: 4 }), [email, auto], "others' subscriptions stay")
    },
  )

  t.test(
    `alertChannelSubscriptions replace each other and name channels of the account (${engine})`,
    async (t) => {
      const given = await withChannels(t, engine)
      const { app, accountId, addKey, call, email, auto, checkId } = given
      const set = (choices: Array<{ alertChannelId: number; activated: boolean }>) =>
        app.db.transaction((trx) => setSubscriptions(trx, { accountId, checkId }, choices))
      await set([{ alertChannelId: email, activated: true }])
      await set([{ alertChannelId: auto, activated: false }])
      t.strictSame(await subscriptionsOf(app.db, { accountId, checkId }), [
        { alertChannelId: auto, activated: false },
      ])
      const { apiKey: key } = await addKey()
      const body = { type: 'EMAIL', config: { address: 'x@example.com' } }
      const foreign = (await call('POST', '/v1/alert-channels', { key, body })).body.id
      for (const alertChannelId of [foreign, 9999]) {
        const choices = [email, alertChannelId].map((id) => ({ alertChannelId: id, activated: true }))
        const error = await set(choices).catch((thrown: unknown) => thrown)
        t.match(error, {
          status: 400,
          attributes: { violations: [{ path: 'alertChannelSubscriptions.1.alertChannelId' }] },
        })
      }
      t.strictSame(await idsOf(given, { checkId }), [auto], 'what was refused changed nothing')
    },
  )

  t.test(
    `a check's alertChannels are those it subscribes to, as their own answers show them (${engine})`,
    async (t) => {
      const given = await withChannels(t, engine)
      const { app, accountId, add, email, auto, checkId } = given
      const hook = await add({
        type: 'WEBHOOK',
        config: {
          name: 'hook',
          url: 'https://example.com/x',
          headers: [{ key: 'x-key', value: 'a-long-secret-9876', locked: true }],
        },
      })
      const slack = await add({
        type: 'SLACK',
        config: { url: 'https://hooks.slack.com/services/T/B/abcdefghijkl' },
      })
      const off = await add({ type: 'EMAIL', config: { address: 'off@example.com' } })
      await app.db.transaction((trx) =>
        setSubscriptions(trx, { accountId, checkId }, [
          ...[email, auto, hook, slack].map((alertChannelId) => ({ alertChannelId, activated: true })),
          { alertChannelId: off, activated: false },
        ]),
      )
      const shown = {
        email: [{ address: 'a@example.com' }],
        webhook: [
          {
            url: 'https://example.com/***',
            name: 'hook',
            method: 'POST',
            headers: [{ key: 'x-key', value: '***9876', locked: true }],
            queryParameters: [],
          },
        ],
        slack: [{ url: 'https://hooks.slack.com/***ijkl' }],
        sms: [{ number: '+4915112345', name: 'Ada' }],
      }
      const other = app.newId()
      const wanted = { accountId, checkIds: [checkId, other] }
      const alertingAs = (role: Role) => alertingOfChecks(app.db, wanted, { cipher: app.cipher, role })
      const alertingOf = await alertingAs('READ_RUN')
      t.strictSame(alertingOf(checkId).alertChannels, shown)
      t.strictSame((await alertingAs('READ_WRITE'))(checkId).alertChannels, {
        ...shown,
        webhook: [{ ...shown.webhook[0], url: 'https://example.com/x' }],
        slack: [{ url: 'https://hooks.slack.com/services/T/B/abcdefghijkl' }],
      })
      t.equal(alertingOf(checkId).alertChannelSubscriptions.length, 5)
      t.strictSame(alertingOf(other).alertChannelSubscriptions, [])
    },
  )

  t.test(
    `a channel that goes while checks subscribe leaves no subscription behind (${engine})`,
    async (t) => {
      const { app, accountId, call, email } = await withChannels(t, engine)
      const subscribing = Array.from({ length: 8 }, () =>
        app.db.transaction((trx) => subscribeToAll(trx, { accountId, checkId: app.newId() })),
      )
      const [deleted] = await Promise.all([call('DELETE', `/v1/alert-channels/${email}`), ...subscribing])
      t.equal(deleted.status, 204)
      const left = await app.db.select((k) =>
        k.selectFrom('channel_subscriptions').selectAll().where('channel_id', '=', email),
      )
      t.strictSame(left, [])
    },
  )
}
