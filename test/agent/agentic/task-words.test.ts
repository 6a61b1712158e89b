import t from 'tap'
import { wordsOfTask } from '../../../agent/agentic/task-words.ts'

const variables = [
  { key: 'SHOP_URL', value: 'https://shop.example:8443/start', secret: false },
  { key: 'PASSWORD', value: 'https://not-a-place.example', secret: true },
  { key: 'PASS', value: 'unnamed', secret: true },
]

t.test('a task names its addresses by themselves, in sentences, and by variables', async (t) => {
  const origins = (prompt: string): string[] => wordsOfTask(prompt, variables).origins
  t.strictSame(origins('Open https://a.example/x?y=1, then (http://b.example).'), [
    'https://a.example',
    'http://b.example',
  ])
  t.strictSame(origins('Open {{SHOP_URL}}.'), ['https://shop.example:8443'])
  t.strictSame(origins('Look at www.a.example, please'), ['https://www.a.example', 'http://www.a.example'])
  t.strictSame(origins('At localhost:3000'), ['https://localhost:3000', 'http://localhost:3000'])
  t.strictSame(origins('Write to ann@a.example, e.g. today'), [], 'an address of mail is no page')
  t.strictSame(origins('Use {{PASSWORD}}'), [], 'a secret says nothing')
  t.strictSame(wordsOfTask('Go to https://a.example.', []).addresses, ['https://a.example/'])
})

t.test('only variables that it names can be used, and secrets stay names', async (t) => {
  const words = wordsOfTask('Sign in at https://a.example with PASSWORD and {{NONE}}', variables)
  t.strictSame(
    words.variables.map(({ key }) => key),
    ['PASSWORD'],
  )
  t.strictSame(words.missing, ['NONE'])
  t.match(wordsOfTask('Use {{PASSWORD}}', variables).text, 'Use {{PASSWORD}}')
})
