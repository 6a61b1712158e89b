// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { fullStoreTick } from '../../../../control-plane/access/members/full-store-mail.ts'
import { insertMembership, insertUser } from '../../../../control-plane/access/members/queries.ts'
import { reportStoreError } from '../../../../control-plane/platform/app/report-store-error.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { withMailbox } from '../../../support/mailbox.ts'

const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })

for (const engine of engineNames)
  t.test(`a full store is told to every owner, once a day and no more (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { app, accountId } = plane
    const box = await withMailbox(t, plane)
    const now = app.clock.now()
    for (const [userId, role] of Object.entries({ ada: 'OWNER', bob: 'ADMIN', eve: 'OWNER' })) {
      const email = `${userId}@example.com`
      await app.db.run(insertUser, { id: userId, email, name: null, nameSearch: '', now })
      await app.db.run(insertMembership, { accountId, userId, role, now })
    }
    const told = () => box.mails.flatMap(({ to }) => to?.map(({ address }) => address) ?? []).toSorted()
    reportStoreError(app)(away)
    await fullStoreTick(app)
    t.strictSame(told(), [], 'other errors are not this one')
    reportStoreError(app)(full)
    box.refuse(451)
    await fullStoreTick(app)
    box.refuse(null)
    await fullStoreTick(app)
    await fullStoreTick(app)
    t.ok(told().includes('ada@example.com') && told().includes('eve@example.com'))
    t.notOk(told().includes('bob@example.com'))
    t.equal(new Set(told()).size, told().length, 'once each')
    t.match(box.mails[0], { subject: 'Watchpost has no room to store results', text: /delete checks/ })
    const before = told().length
    plane.advance(3_600_000)
    await fullStoreTick(app)
    plane.advance(24 * 3_600_000)
    await fullStoreTick(app)
    t.equal(told().length, before, 'there was room since')
    reportStoreError(app)(full)
    await fullStoreTick(app)
    t.equal(told().length, 2 * before)
  })
