import { randomBytes } from 'node:crypto'
import t from 'tap'
import {
  linkOfEvent,
  openToken,
  resultLink,
} from '../../../../control-plane/alerting/messages/result-link.ts'
import { createCipher } from '../../../../control-plane/platform/services/secrets/cipher.ts'
import { testApp } from '../../../support/app.ts'

const event = {
  checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  checkResultId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10',
  at: Date.UTC(2026, 0, 1, 0, 0, 1, 500),
}
const tokenIn = (link: string): string => link.split('/results/')[1] ?? ''

t.test('a link names check, result and the end of its thirty days, the same every time', async (t) => {
  const { app } = await testApp(t)
  const link = linkOfEvent(app, event)
  t.equal(linkOfEvent(app, event), link)
  t.ok(link.startsWith(`${app.config.baseUrl}/results/`))
  t.match(tokenIn(link), /^[\w-]{72}$/)
  t.strictSame(openToken(app, tokenIn(link)), {
    checkId: event.checkId,
    resultId: event.checkResultId,
    expiresAt: Date.UTC(2026, 0, 31, 0, 0, 1),
  })
  const ofCheck = openToken(app, tokenIn(linkOfEvent(app, { ...event, checkResultId: null })))
  t.match(ofCheck, { checkId: event.checkId, resultId: null })
})

t.test('a token with any bit changed, cut or longer, is none', async (t) => {
  const { app } = await testApp(t)
  const token = tokenIn(linkOfEvent(app, event))
  const bytes = Buffer.from(token, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    if (openToken(app, changed.toString('base64url'))) t.fail(`bit ${bit} can be changed`)
  }
  for (const other of [
    '',
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    `${token} `,
    token.replace(/.$/, '='),
    'x',
  ])
    t.equal(openToken(app, other), undefined, other)
})

t.test('links outlive a rotation of the encryption key, and end with the key that signed them', async (t) => {
  const [old, young] = [randomBytes(32), randomBytes(32)]
  const { app } = await testApp(t)
  const withKeys = (...keys: Buffer[]) => ({ ...app, cipher: createCipher(keys, randomBytes) })
  const linked = { checkId: event.checkId, resultId: event.checkResultId, expiresAt: event.at }
  const token = tokenIn(resultLink(withKeys(old), linked))
  t.ok(openToken(withKeys(young, old), token))
  t.equal(openToken(withKeys(young), token), undefined)
  t.not(tokenIn(resultLink(withKeys(young, old), linked)), token, 'new links are of the new key')
})
