// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { sweepArtifactsTick } from '../../../../control-plane/monitoring/artifacts/sweep-artifacts.ts'
import type { ArtifactNote } from '../../../../protocol/artifact.ts'
import type { TestApp } from '../../../support/app.ts'
import { testApp } from '../../../support/app.ts'
import { announced, reported, uploadArtifact } from '../../../support/artifacts.ts'
import { engineNames } from '../../../support/databases.ts'

const megabyte = 1024 * 1024
const sized = (name: string, size: number, more: Partial<ArtifactNote> = {}): ArtifactNote =>
  announced(name, Buffer.alloc(0), { size, sha256: 'a'.repeat(64), ...more })

const refusals = async (plane: TestApp, assets: string): Promise<Record<string, string>> => {
  const { refused } = (await plane.call('GET', assets)).body
  return Object.fromEntries(refused.map(({ name, reason }: Record<string, string>) => [name, reason]))
}

const usage = async ({ app }: TestApp): Promise<number[]> =>
  (await app.db.select((k) => k.selectFrom('artifact_usage').select('bytes').orderBy('owner'))).map(
    ({ bytes }) => Number(bytes),
  )

t.test('a check type leaves files of its kinds, and no others are waited for', async (t) => {
  const plane = await testApp(t)
  const bytes = Buffer.from('x')
  const { resultId, assets } = await reported(plane, [
    announced('a.pcap', bytes),
    announced('trace.zip', bytes, { type: 'trace', contentType: 'application/zip' }),
    announced('page.html', bytes, { type: 'report', contentType: 'text/html' }),
    announced('traceroute.json', bytes, { type: 'report', contentType: 'application/json' }),
  ])
  const reason = 'checks of this type leave no such file'
  t.same(await refusals(plane, assets), { 'trace.zip': reason, 'page.html': reason })
  t.equal((await uploadArtifact(plane, { resultId, name: 'trace.zip', bytes })).status, 410)
  t.equal((await uploadArtifact(plane, { resultId, name: 'traceroute.json', bytes })).status, 200)
  const result = (await plane.call('GET', assets.replace(/\/assets$/, ''))).body
  t.equal(result.hasErrors, false, 'the result is taken all the same')
})

t.test('the files of a run have a sum', async (t) => {
  const plane = await testApp(t)
  const { assets } = await reported(plane, [
    sized('a', 100 * megabyte),
    sized('b', 60 * megabyte),
    sized('c', 50 * megabyte),
    sized('c', 50 * megabyte),
  ])
  t.same(await refusals(plane, assets), { b: 'the files of this run are larger than 150 MB together' })
  t.same(await usage(plane), [150 * megabyte, 150 * megabyte], 'of what is waited for, each name once')
})

for (const engine of engineNames) {
  t.test(`a location has an allowance, which is free again when files go (${engine})`, async (t) => {
    const env = { ARTIFACTS_LOCATION_MAX_GB: '0.01', ARTIFACTS_ACCOUNT_MAX_GB: '1' }
    const plane = await testApp(t, { engine, env })
    const size = 6 * megabyte
    await reported(plane, [sized('first', size)])
    const second = await reported(plane, [sized('second', size), sized('small', megabyte)])
    t.match(await refusals(plane, second.assets), { second: /of this location.*ARTIFACTS_LOCATION_MAX_GB/ })
    t.same(await usage(plane), [7 * megabyte, 7 * megabyte])
    plane.advance(7 * 86_400_000 + 1)
    await Promise.all([sweepArtifactsTick(plane.app), sweepArtifactsTick(plane.app)])
    t.same(await usage(plane), [0, 0], 'once, also where two sweep')
    const third = await reported(plane, [sized('third', size)])
    t.same(await refusals(plane, third.assets), {})
  })

  t.test(`reports at the same time do not pass the allowance of their account (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: { ARTIFACTS_ACCOUNT_MAX_GB: '0.01' } })
    const all = Promise.withResolvers<void>()
    const reports: ReturnType<typeof reported>[] = []
    for (let index = 0; index < 12; index += 1) {
      const claimed = Promise.withResolvers<void>()
      const notes = async (): Promise<ArtifactNote[]> => {
        claimed.resolve()
        await all.promise
        return [sized(`file-${index}`, 3 * megabyte)]
      }
      reports.push(reported(plane, notes))
      await claimed.promise
    }
    all.resolve()
    const many = await Promise.all(reports)
    const reasons = await Promise.all(many.map(({ assets }) => refusals(plane, assets)))
    const refused = reasons.flatMap((one) => Object.values(one))
    t.equal(refused.length, 9)
    for (const reason of refused) t.match(reason, /of this account.*ARTIFACTS_ACCOUNT_MAX_GB/)
    t.same(await usage(plane), [9 * megabyte, 9 * megabyte])
  })
}
