import { createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { canSealTo } from '../../../../../control-plane/monitoring/definitions/client-certificates/can-seal-to.ts'
import { testApp } from '../../../../support/app.ts'
import { claimRequest } from '../../../../support/engine-room.ts'

const own = generateKeyPairSync('x25519')

/** What sealing does with it. */
const agrees = (x: string): boolean => {
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
  try {
    diffieHellman({ privateKey: own.privateKey, publicKey })
    return true
  } catch {
    return false
  }
}

const prime = 2n ** 255n - 19n
const top = 2n ** 255n

const littleEndian = (value: bigint): string =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('base64url')

const lowOrder = [
  0n,
  1n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
  prime - 1n,
  prime,
  prime + 1n,
].flatMap((point) => [littleEndian(point), littleEndian(point + top)])

t.test('a key can be sealed to exactly when the key agreement takes it', async (t) => {
  for (const key of lowOrder) {
    t.equal(agrees(key), false)
    t.equal(canSealTo(key), false)
  }
  const others = [2n, 3n, 9n, prime - 2n, prime + 2n, prime + 18n, top - 1n].map(littleEndian)
  const made = Array.from({ length: 50 }, () =>
    String(generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }).x),
  )
  for (const key of [...others, ...made]) {
    t.equal(agrees(key), true)
    t.equal(canSealTo(key), true)
  }
})

t.test('a claim with a key that nothing can be sealed to is refused, and the field is named', async (t) => {
  const { call, agentKey: key } = await testApp(t)
  for (const sealTo of lowOrder) {
    const { status, body } = await call('POST', '/agent/v1/claim', { key, body: claimRequest({ sealTo }) })
    t.equal(status, 400)
    t.match(body, { message: /"sealTo"/, attributes: { violations: [{ path: 'sealTo' }] } })
  }
  const sealTo = littleEndian(9n)
  t.equal((await call('POST', '/agent/v1/claim', { key, body: claimRequest({ sealTo }) })).status, 200)
})
