/**
 * Writes test/fixtures/stores/<this version>: a store in which everything happened once, and what the API says of it.
 * Run at a release (CONTRIBUTING.md); every later version opens it in test/contract/old-stores.test.ts.
 */
import t from 'tap'
import { packResultsTick } from '../control-plane/monitoring/results/pack-results.ts'
import { createCipher } from '../control-plane/platform/services/secrets/cipher.ts'
import { controlPlaneVersion } from '../control-plane/platform/settings/config.ts'
import { testApp } from './support/app.ts'
import { fillStore } from './support/full-store.ts'
import { countAll, takeIn } from './support/rollups.ts'
import { fixedRandomness, writeStore } from './support/store-fixture.ts'
import { answersOf } from './support/store-reads.ts'

const { randomBytes, newId } = fixedRandomness(Date.UTC(2026, 0, 1))
const encryptionKey = randomBytes(32)
const cipher = createCipher([encryptionKey], randomBytes)
const plane = await testApp(t, { parts: { randomBytes, newId, cipher } })
const world = await fillStore(plane)
const { id: checkId } = (await world.call('GET', '/v1/checks?search=UrlMonitor')).body[0]
const startedAt = plane.app.clock.now()
await takeIn(
  plane,
  Array.from({ length: 60 }, (_, n) => ({ checkId, at: startedAt + n * 60_000, responseTime: n })),
)
// Hours are over: what passed is packed, and they are counted.
plane.advance(3 * 3_600_000)
await packResultsTick(plane.app, new AbortController().signal)
await countAll(plane.app)
const access = {
  encryptionKey: encryptionKey.toString('base64'),
  apiKey: world.ownerKey,
  accountId: plane.accountId,
  writtenAt: plane.app.clock.now(),
}
const answers = await answersOf(world)
await writeStore(plane.app.db, { version: controlPlaneVersion, access, answers })
t.pass(`the store of ${controlPlaneVersion} was written, with ${answers.length} answers`)
