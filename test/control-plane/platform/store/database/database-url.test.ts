import t from 'tap'
import { databaseUrlError } from '../../../../../control-plane/platform/store/database/unusable-store-error.ts'

t.test('an address with several hosts is refused in a sentence', async (t) => {
  for (const url of [
    'postgres://one,two/watchpost',
    'postgresql://me:secret@one:5432,two:5433/watchpost?target_session_attrs=read-write',
    'postgres:///watchpost?host=one,two',
    'postgres:///watchpost?host=one&host=two',
  ]) {
    const said = databaseUrlError(url) ?? ''
    t.match(said, /DATABASE_URL names several hosts.*leads to the primary/, url)
    t.notMatch(said, /secret/)
  }
})

t.test('one host is none, whatever its password', async (t) => {
  for (const url of [
    'postgres://me:a,b@one/watchpost',
    'postgres://one:5432/watchpost?options=-c%20search_path=a,b',
    'postgres:///watchpost?host=/run/postgresql',
    'sqlite:/data/a,b.db',
  ])
    t.equal(databaseUrlError(url), null, url)
})
