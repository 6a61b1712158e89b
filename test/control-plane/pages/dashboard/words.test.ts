import t from 'tap'
import { wordOf } from '../../../../control-plane/pages/dashboard/words.ts'
import { routes } from '../../../../control-plane/routes.ts'
import { enumsOf } from '../../../support/enums.ts'

/** Names that the world gave: of methods, protocols, records, formats, priorities, regions and engines. */
const ownNames =
  /^(PagerDuty|FireHydrant|GitLab|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TCP|UDP|HTTPS|IPv[46]|A|AAAA|CAA|CNAME|MX|NS|PTR|SOA|SRV|TXT|JSON|GraphQL|SMS|P[1-5]|EU|US|API|URL|DNS|ICMP)$/

/** `EMAIL`, `READ_RUN`, `last24Hours`: nobody says it so. */
const isRaw = (word: string): boolean => !ownNames.test(word) && /^[A-Z][A-Z0-9_]*$|[a-z][A-Z]|_/.test(word)

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
