import t from 'tap'
import { base32, codeOf, stepAt, stepOfCode } from '../../../../control-plane/access/credentials/totp.ts'

const secret = Buffer.from('12345678901234567890')

t.test('codes are those of RFC 6238, appendix B', async (t) => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const)
    t.equal(codeOf(secret, stepAt(seconds * 1000)), code)
  t.equal(base32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  t.equal(base32(Buffer.from('f')), 'MY')
})

t.test('a code is good for its half minute and the ones beside it, and once', async (t) => {
  const now = 1_000_000_000_000
  const step = stepAt(now)
  const code = codeOf(secret, step)
  const at = (away: number, usedStep = 0) => stepOfCode(secret, { code, now: now + away * 30_000, usedStep })
  t.equal(at(0), step)
  t.equal(at(1), step)
  t.equal(at(-1), step)
  t.equal(at(2), null)
  t.equal(at(-2), null)
  t.equal(at(0, step), null, 'used')
  t.equal(at(0, step + 1), null, 'a later one was used')
  t.equal(stepOfCode(secret, { code: ` ${code.slice(0, 3)} ${code.slice(3)} `, now, usedStep: 0 }), step)
  for (const wrong of ['', '1', `${code}0`, 'abcdef', '１２３４５６'])
    t.equal(stepOfCode(secret, { code: wrong, now, usedStep: 0 }), null)
})
