// Runs on both engines: names are compared without regard to case, and ids of any type with texts.
import t from 'tap'
import {
  bundleRows,
  channelRows,
  checkNames,
  groupNames,
  locationNames,
} from '../../../../../control-plane/pages/dashboard/forms/choice-queries.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

for (const engine of engineNames)
  t.test(`names are found by a part of them, and what is chosen by its id (${engine})`, async (t) => {
    const { app, call, accountId } = await testApp(t, { engine })
    const made = async (path: string, body: object) => (await call('POST', path, { body })).body.id
    const request = { url: 'https://example.com/' }
    const shop = await made('/v1/checks/url', { name: 'Shop front', request })
    await made('/v1/checks/url', { name: 'Cellar', request })
    const group = await made('/v1/check-groups', { name: 'Shops' })
    const channel = await made('/v1/alert-channels', {
      type: 'EMAIL',
      config: { address: 'shop@example.com' },
    })
    const sought = { accountId, search: 'SHOP', ids: [], limit: 5 }
    t.match((await checkNames(app.db, sought)).matching, [{ value: shop, label: 'Shop front' }])
    t.match((await checkNames(app.db, { ...sought, search: 'no', ids: [shop] })).chosen, [{ value: shop }])
    t.match((await groupNames(app.db, { ...sought, ids: [String(group)] })).chosen, [{ label: 'Shops' }])
    t.match((await channelRows(app.db, { ...sought, ids: [String(channel)] })).matching, [{ id: channel }])
    t.match((await locationNames(app.db, { ...sought, search: 'loc' })).matching, [{ value: 'local' }])
    t.equal((await checkNames(app.db, { ...sought, search: '', limit: 1 })).matching.length, 2, 'one more')
    t.strictSame(await bundleRows(app.db, { ...sought, ids: ['gone'] }), { matching: [], chosen: [] })
    const others = { ...sought, accountId: 'another', ids: [shop] }
    t.strictSame(await checkNames(app.db, others), { matching: [], chosen: [] }, 'of one’s own account only')
  })
