/** A store as a control plane leaves it that was given one secret: with the canary of its keys, two sealed values. */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { createCipher } from '../../control-plane/platform/services/secrets/cipher.ts'
import { plantCanary } from '../../control-plane/platform/services/secrets/key-canary.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { testApp } from './app.ts'
import { prepareStore } from './prepare-store.ts'
import { testsBeginAt } from './tests-begin.ts'

export const sealedStore = async (t: Test, url: string, key: Buffer): Promise<void> => {
  const db = openDatabase(url)
  const cipher = createCipher([key], randomBytes)
  await prepareStore(db, testsBeginAt)
  await plantCanary(db, cipher)
  const plane = await testApp(t, { parts: { db, cipher } })
  const { status, text } = await plane.call('POST', '/v1/variables', {
    body: { key: 'A', value: 'sealed', secret: true },
  })
  plane.drain()
  await db.close()
  if (status !== 201) throw new Error(text)
}
