/** An object store that goes away: nothing is lost, and only what needs it is refused. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { announced, reported, uploadArtifact } from '../../../support/artifacts.ts'
import { objectStoreProblem, secretKey, startObjectStore } from '../../../support/object-store.ts'

t.test('while it is away', { skip: objectStoreProblem() ?? false }, async (t) => {
  const server = await startObjectStore(t)
  const plane = await testApp(t, { env: server.env })
  const bytes = randomBytes(300_000)
  const { resultId, assets } = await reported(plane, [announced('a.log', bytes), announced('b.log', bytes)])
  t.equal((await uploadArtifact(plane, { resultId, name: 'a.log', bytes })).status, 200)
  const half = { resultId, name: 'b.log', bytes: bytes.subarray(0, 100_000) }
  t.equal((await uploadArtifact(plane, half)).status, 200)

  await server.goAway()
  const rest = { ...half, bytes: bytes.subarray(100_000), offset: 100_000 }
  for (const answer of [
    await uploadArtifact(plane, rest),
    await uploadArtifact(plane, rest),
    await plane.call('GET', `${assets}/a.log`),
  ]) {
    t.equal(answer.status, 503)
    t.ok(Number(answer.headers.get('retry-after')) > 0, 'agents keep the file and come again')
  }
  t.equal((await plane.call('GET', assets)).status, 200, 'the manifest is in the database')
  t.equal((await plane.call('GET', '/-/readiness')).status, 200)
  const errors = plane.logged.filter(({ level }) => Number(level) >= 50)
  t.match(
    errors,
    [{ err: { message: /cannot be reached or fails \(ECONNREFUSED\)/ } }],
    'the operator is told once',
  )
  t.notMatch(JSON.stringify(plane.logged), new RegExp(secretKey))

  await server.comeBack()
  t.match(await uploadArtifact(plane, rest), { status: 200, body: { complete: true } })
  t.equal((await plane.call('GET', `${assets}/a.log`)).status, 200)
})
