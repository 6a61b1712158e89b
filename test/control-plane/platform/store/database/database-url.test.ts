import t from 'tap'
import { durabilityWarnings } from '../../../../../control-plane/platform/store/database/durability.ts'
import { NoPrimaryError } from '../../../../../control-plane/platform/store/database/primary-search.ts'
import {
  mustTakeWrites,
  serverAddressError,
  serverAddresses,
} from '../../../../../control-plane/platform/store/database/server-addresses.ts'
import { unusableStoreError } from '../../../../../control-plane/platform/store/database/unusable-store-error.ts'

const three =
  'postgresql://me:a,b@one:5432,[::1]:5433,three/watchpost?sslmode=require&target_session_attrs=read-write'

t.test('each host is an address of its own', async (t) => {
  t.strictSame(serverAddresses(three), [
    'postgresql://me:a,b@one:5432/watchpost?sslmode=require',
    'postgresql://me:a,b@[::1]:5433/watchpost?sslmode=require',
    'postgresql://me:a,b@three/watchpost?sslmode=require',
  ])
  t.equal(serverAddressError('DATABASE_URL', three), null)
  t.ok(mustTakeWrites(three))
  t.ok(mustTakeWrites('postgres://one/watchpost?target_session_attrs=primary'))
  t.strictSame(serverAddresses('postgres://one/watchpost?target_session_attrs=primary'), [
    'postgres://one/watchpost',
  ])
})

t.test('one host is left as it is, whatever its password', async (t) => {
  for (const url of [
    'postgres://me:a,b@one/watchpost',
    'postgres://one:5432/watchpost?options=-c%20search_path=a,b',
    'postgres:///watchpost?host=/run/postgresql',
    'sqlite:/data/a,b.db',
  ]) {
    t.strictSame(serverAddresses(url), [url])
    t.equal(serverAddressError('DATABASE_URL', url), null, url)
    t.notOk(mustTakeWrites(url))
  }
})

t.test('what cannot be meant is refused in a sentence', async (t) => {
  const refused: [string, RegExp][] = [
    ['postgres:///watchpost?host=one,two', /DATABASE_URL names several hosts in the parameter host/],
    ['postgres:///watchpost?host=one&host=two', /DATABASE_URL names several hosts in the parameter host/],
    ['postgres://me:secret@one,:5433/watchpost', /one of them is empty/],
    [
      'postgres://one,two/watchpost?target_session_attrs=any',
      /target_session_attrs=any: the store is written/,
    ],
    ['postgres://one/watchpost?target_session_attrs=standby', /can only be read-write/],
  ]
  for (const [url, pattern] of refused) {
    const said = serverAddressError('DATABASE_URL', url) ?? ''
    t.match(said, pattern, url)
    t.notMatch(said, /secret/)
  }
})

t.test('a start without any server that takes writes says which, and no password', async (t) => {
  const reasons = new AggregateError([
    new Error('connect ECONNREFUSED'),
    new NoPrimaryError('it is a standby'),
  ])
  const said = unusableStoreError(new NoPrimaryError(reasons), three)?.message ?? ''
  t.match(said, /No server of DATABASE_URL \(one:5432,\[::1\]:5433,three\/watchpost\) takes writes/)
  t.match(said, /connect ECONNREFUSED; it is a standby/)
  t.notMatch(said, /a,b/)
})

t.test('a store that may lose what it has acknowledged is warned of', async (t) => {
  const safe = { fsync: 'on', commit: 'on', names: '"two"', standbys: 1 }
  t.strictSame(durabilityWarnings(three, safe), [])
  t.strictSame(durabilityWarnings('postgres://one/watchpost', { ...safe, names: '', standbys: 0 }), [])
  t.match(durabilityWarnings(three, { ...safe, names: '' }), [
    /names 3 servers, and no standby is synchronous/,
  ])
  t.match(durabilityWarnings(three, { ...safe, commit: 'local' }), [/synchronous_commit=local, 1 connected/])
  t.match(durabilityWarnings('postgres://one/watchpost', { ...safe, fsync: 'off', commit: 'off' }), [
    /fsync=off/,
    /synchronous_commit=off/,
  ])
})
