/** Whose password is hashed next, when many guess at once. */
import t from 'tap'
import { inHashTurn } from '../../../../control-plane/access/sign-in/hash-queue.ts'
import { testApp } from '../../../support/app.ts'

const room = async () => {
  const { app } = await testApp(t)
  const done: string[] = []
  const refused: string[] = []
  const gate = Promise.withResolvers<void>()
  const running: Promise<void>[] = []
  /** Waits for the gate, which holds both places until it opens. */
  const ask = (name: string, address: string, known: string | null = null): void => {
    const work = inHashTurn(app, { address, known }, async () => {
      await gate.promise
      done.push(name)
    })
    running.push(
      work.catch((error) => {
        t.equal(error.status, 503)
        refused.push(name)
      }),
    )
  }
  const open = async () => {
    gate.resolve()
    await Promise.all(running)
  }
  return { ask, open, done, refused }
}

t.test('guessers wait for each other, and not before others', async (t) => {
  const { ask, open, done, refused } = await room()
  for (let guess = 0; guess < 40; guess += 1) ask(`guess ${guess}`, '203.0.113.1')
  ask('owner', '198.51.100.1')
  ask('owner at a known browser', '203.0.113.1', 'a browser')
  await open()
  t.strictSame(done.slice(2, 4), ['owner at a known browser', 'owner'], 'right after the two that ran')
  t.equal(done.length, 42)
  t.strictSame(refused, [])
})

t.test('networks that came often wait for one that did not', async (t) => {
  const { ask, open, done } = await room()
  for (let guess = 0; guess < 80; guess += 1) ask(`guess ${guess}`, `203.0.113.${guess % 40}`)
  ask('owner', '198.51.100.1')
  await open()
  t.equal(done.indexOf('owner'), 2)
})

t.test('of too many, those who asked most are sent away', async (t) => {
  const { ask, open, done, refused } = await room()
  for (let guess = 0; guess < 300; guess += 1) ask(`guess ${guess}`, `203.0.113.${guess % 3}`)
  ask('owner', '198.51.100.1')
  await open()
  t.equal(refused.length, 199)
  t.ok(refused.every((name) => name.startsWith('guess')))
  t.ok(done.includes('owner'))
})
