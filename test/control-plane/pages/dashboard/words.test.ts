import t from 'tap'
import { wordOf } from '../../../../control-plane/pages/dashboard/words.ts'
import { routes } from '../../../../control-plane/routes.ts'
import { enumsOf, isRaw } from '../../../support/enums.ts'

t.test('every value of every schema has a word', (t) => {
  const raw = enumsOf(routes).flatMap(({ field, value }) => {
    const word = wordOf(value, field)
    return isRaw(word) ? [`${field}: ${value} → ${word}`] : []
  })
  t.strictSame(raw, [])
  t.end()
})

t.test('one value means what its field means', (t) => {
  t.equal(wordOf('FAILURE', 'status'), 'Not delivered')
  t.equal(wordOf('SESSION', 'via'), 'the dashboard')
  t.equal(wordOf('SESSION', 'type'), 'Browser')
  t.equal(wordOf('TCP', 'checkType'), 'TCP monitor')
  t.equal(wordOf('TCP', 'protocol'), 'TCP')
  t.equal(wordOf('constructor', 'status'), 'constructor')
  t.equal(wordOf('constructor', 'constructor'), 'constructor')
  t.end()
})
