// Runs on both engines in test:all: its statements run in no other file.
import { createStoreReach } from '../../../../../../control-plane/platform/web/http/server/store-reach.ts'
import { eachEngine } from '../../../../../support/app.ts'

eachEngine('a store that answers is there, and one that is closed is not', async (t, { app }) => {
  const isThere = createStoreReach(app)
  t.equal(await isThere(), true)
  const closed = { ...app.db, get: () => Promise.reject(new Error('the store is closed')) }
  t.equal(await createStoreReach({ ...app, db: closed })(), false)
  t.equal(await isThere(), true)
})
