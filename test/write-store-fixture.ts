/**
 * Writes test/fixtures/stores/<this version>: a store in which everything happened once, and what the API says of it.
 * Run at a release (CONTRIBUTING.md); every later version opens it in test/contract/old-stores.test.ts.
 */
import t from 'tap'
import { createCipher } from '../control-plane/platform/doors/secrets/cipher.ts'
import { controlPlaneVersion } from '../control-plane/platform/settings/version.ts'
import { testApp } from './support/app.ts'
import { fillStore } from './support/full-store.ts'
import { fixedRandomness, writeStore } from './support/store-fixture.ts'
import { answersOf } from './support/store-reads.ts'

const { randomBytes, newId } = fixedRandomness(Date.UTC(2026, 0, 1))
const encryptionKey = randomBytes(32)
const cipher = createCipher([encryptionKey], randomBytes)
const plane = await testApp(t, { parts: { randomBytes, newId, cipher } })
const world = await fillStore(plane)
const access = {
  encryptionKey: encryptionKey.toString('base64'),
  apiKey: world.ownerKey,
  accountId: plane.accountId,
  writtenAt: plane.app.clock.now(),
}
const answers = await answersOf(world)
await writeStore(plane.app.db, { version: controlPlaneVersion, access, answers })
t.pass(`the store of ${controlPlaneVersion} was written, with ${answers.length} answers`)
