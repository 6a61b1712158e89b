import t from 'tap'
import { testApp } from '../../../support/app.ts'

t.test('the 22 public locations of the contract have names and need no key', async (t) => {
  const { call } = await testApp(t)
  const { status, body } = await call('GET', '/v1/locations', { key: null })
  t.equal(status, 200)
  t.equal(body.length, 22)
  t.strictSame(body[0], { region: 'us-east-1', name: 'N. Virginia' })
  t.equal(body.find(({ region }: { region: string }) => region === 'sa-east-1').name, 'São Paulo')
  t.equal(new Set(body.map(({ name }: { name: string }) => name)).size, 22, 'no name twice')
})
