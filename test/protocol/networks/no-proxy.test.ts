import t from 'tap'
import { isWithoutProxy } from '../../../protocol/networks/no-proxy.ts'

const without = (origin: string, noProxy: string | null): boolean => isWithoutProxy(new URL(origin), noProxy)

t.test('every form of NO_PROXY', async (t) => {
  const cases: [noProxy: string, within: string[], beyond: string[]][] = [
    ['*', ['http://example.com', 'https://10.0.0.1'], []],
    ['example.com', ['https://example.com', 'https://a.b.EXAMPLE.com.'], ['https://notexample.com']],
    ['.example.com', ['https://a.example.com', 'https://example.com'], ['https://example.org']],
    ['*.example.com', ['https://a.example.com'], ['https://example.com.evil']],
    ['Example.com:8443', ['https://example.com:8443'], ['https://example.com', 'https://example.com:84']],
    ['example.com:443', ['https://example.com'], ['http://example.com']],
    ['127.0.0.1', ['http://127.0.0.1:9', 'http://0x7f.1'], ['http://127.0.0.2']],
    ['127.0.0.1:80', ['http://127.0.0.1'], ['http://127.0.0.1:81']],
    [
      '10.0.0.0/8',
      ['http://10.1.2.3', 'http://[::ffff:10.1.2.3]'],
      ['http://11.0.0.1', 'http://ten.example'],
    ],
    ['fd00::/8 ,::1', ['http://[fd12::1]', 'http://[0:0::1]:8'], ['http://[fe80::1]']],
    ['[::1]:8080', ['http://[::1]:8080'], ['http://[::1]']],
    ['a.example, b.example c.example', ['http://b.example', 'http://c.example'], ['http://d.example']],
    [' , ,', [], ['http://example.com']],
    ['.', [], ['http://example.com']],
  ]
  for (const [noProxy, within, beyond] of cases) {
    for (const origin of within) t.ok(without(origin, noProxy), `${noProxy} has ${origin}`)
    for (const origin of beyond) t.notOk(without(origin, noProxy), `${noProxy} does not have ${origin}`)
  }
  t.notOk(without('http://example.com', null))
})
