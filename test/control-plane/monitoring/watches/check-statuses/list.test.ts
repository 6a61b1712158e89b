// Runs on both engines in test:all: these statements are asked by few other routes.
/** Statuses of all checks, the names of keys, and the first look at a certificate. */
import { keyName } from '../../../../../control-plane/access/api-keys/queries.ts'
import { upsertWatch } from '../../../../../control-plane/monitoring/watches/certificate-expiry/queries.ts'
import { urlMonitor } from '../../../../support/api.ts'
import { testApp } from '../../../../support/app.ts'
import { eachDatabase } from '../../../../support/databases.ts'

eachDatabase('statuses are listed, and keys have names', async (t, db) => {
  const plane = await testApp(t, { parts: { db } })
  const made = await plane.call('POST', '/v1/checks/url', { body: urlMonitor('shop', 'http://127.0.0.1:9/') })
  t.equal(made.status, 201, made.text)
  t.strictSame((await plane.call('GET', '/v1/check-statuses')).body, [], 'nothing has run')
  const [key] = await db.select((k) => k.selectFrom('api_keys').select(['id', 'name']).limit(1))
  const look = { checkId: made.body.id, accountId: plane.accountId, domain: 'shop.example', now: 1 }
  t.equal(await db.run(upsertWatch, look), 1)
  t.equal(
    await db.run(upsertWatch, { ...look, now: 2 }),
    0,
    'the same domain is looked at when it is its time',
  )
  t.match(await db.get(keyName, { id: key?.id ?? '' }), { name: key?.name })
})
