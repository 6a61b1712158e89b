import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createCipher } from '../../../../../control-plane/platform/services/secrets/cipher.ts'
import { fc } from '../../../../support/fast-check.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

t.test('what was encrypted is decrypted, whatever the text', async (t) => {
  const cipher = createCipher([newKey], randomBytes)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, context) => {
      fc.pre(text.isWellFormed())
      return cipher.decrypt(cipher.encrypt(text, context), context) === text
    }),
  )
  t.not(cipher.encrypt('same'), cipher.encrypt('same'), 'equal texts do not look equal')
  t.notMatch(cipher.encrypt('a secret value'), /secret/)
})

t.test('a list of keys rotates: the first encrypts, all decrypt', async (t) => {
  const before = createCipher([oldKey], randomBytes)
  const rotating = createCipher([newKey, oldKey], randomBytes)
  const after = createCipher([newKey], randomBytes)
  t.equal(rotating.decrypt(before.encrypt('x')), 'x')
  t.equal(after.decrypt(rotating.encrypt('x')), 'x')
  t.throws(() => after.decrypt(before.encrypt('x')), /needs encryption key [0-9a-f]{8}/)
})

t.test('a changed value, another context and another form are refused', async (t) => {
  const cipher = createCipher([newKey], randomBytes)
  const sealed = cipher.encrypt('x', 'row 1')
  t.throws(() => cipher.decrypt(sealed, 'row 2'))
  t.throws(() => cipher.decrypt(`${sealed.slice(0, -4)}AAAA`, 'row 1'))
  t.throws(() => cipher.decrypt(sealed.slice(0, 20), 'row 1'))
  t.throws(() => cipher.decrypt('plain text'), /unknown form/)
  t.throws(() => createCipher([], randomBytes), /at least one key/)
})

t.test(
  'a signature is of its text, its purpose and one of the keys; a short start of it proves nothing',
  async (t) => {
    const cipher = createCipher([newKey, oldKey], randomBytes)
    const signature = cipher.sign('text', 'links')
    t.equal(signature.length, 32)
    t.ok(cipher.isSigned(signature, 'text', 'links'))
    t.ok(cipher.isSigned(signature.subarray(0, 16), 'text', 'links'))
    t.notOk(cipher.isSigned(signature.subarray(0, 15), 'text', 'links'))
    t.notOk(cipher.isSigned(Buffer.concat([signature, Buffer.from('x')]), 'text', 'links'))
    t.notOk(cipher.isSigned(signature, 'texts', 'links'))
    t.notOk(cipher.isSigned(signature, 'text', 'mails'))
    t.ok(cipher.isSigned(createCipher([oldKey], randomBytes).sign('text', 'links'), 'text', 'links'))
    t.notOk(createCipher([oldKey], randomBytes).isSigned(signature, 'text', 'links'))
  },
)
