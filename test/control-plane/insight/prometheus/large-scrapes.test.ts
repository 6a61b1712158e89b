/** A scrape that is larger than what Prometheus takes by its usual limits is said once a day, with what makes it smaller. */
import t from 'tap'
import { watchedSize } from '../../../../control-plane/insight/prometheus/large-scrapes.ts'
import { testApp } from '../../../support/app.ts'

async function* text(megabytes: number): AsyncGenerator<string> {
  for (let n = 0; n < megabytes; n += 1) yield 'é'.repeat(500_000)
}

t.test('a large scrape is said once a day, of each account', async (t) => {
  const { app, logged, advance } = await testApp(t)
  const scrape = async (accountId: string, megabytes: number): Promise<number> => {
    let passed = 0
    for await (const piece of watchedSize(app, accountId, text(megabytes))) passed += piece.length
    return passed
  }
  const said = () => logged.filter(({ msg }) => String(msg).startsWith('A scrape is large')).length
  t.equal(await scrape('a', 20), 10_000_000, 'all of it is passed on')
  t.equal(said(), 0, '20 MB are not too much')
  await scrape('a', 21)
  await scrape('a', 30)
  t.equal(said(), 1)
  t.match(logged.at(-1), { accountId: 'a', megabytes: 21 })
  await scrape('b', 21)
  t.equal(said(), 2)
  advance(24 * 60 * 60 * 1000)
  await scrape('a', 21)
  t.equal(said(), 3)
})
