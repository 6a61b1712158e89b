import { hash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type ArtifactSpoolOptions, openArtifactSpool } from '../../../agent/artifacts/artifact-spool.ts'
import { cleanArtifact } from '../../../agent/artifacts/clean-artifact.ts'
import type { Artifact } from '../../../agent/base/run-log.ts'
import { maxArtifactBytes } from '../../../protocol/artifact.ts'
import { agentIo, recordingLog } from '../../support/agent-io.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const open = (t: Test, options: Partial<ArtifactSpoolOptions> = {}) => {
  const { log, lines } = recordingLog()
  const dir = options.dir ?? temporaryFolder(t)
  const spool = openArtifactSpool({ capacity: () => 1_000_000_000, io: agentIo({ log }), ...options, dir })
  return { spool, lines, dir, folder: join(dir, 'artifacts') }
}

const artifact = (
  content: Artifact['content'],
  contentType = 'application/octet-stream',
  secrets: string[] = [],
) => cleanArtifact({ type: 'file', name: 'a', contentType, content }, { secrets, name: 'a' })

t.test('the limit is the contract’s: 150 MB', async (t) => {
  t.equal(maxArtifactBytes, 150 * 1024 * 1024)
})

t.test('a file is kept with its size and hash, and found again by the next agent', async (t) => {
  const { spool, dir, folder } = open(t)
  const bytes = randomBytes(200_000)
  const path = join(dir, 'trace.zip')
  writeFileSync(path, bytes)
  const note = await spool.keep('job', 'trace.zip', artifact({ path }))
  t.match(note, { name: 'trace.zip', size: bytes.length, sha256: hash('sha256', bytes, 'hex') })
  t.match(spool.stats(), { files: 1, bytes: bytes.length })
  const next = open(t, { dir }).spool
  t.match(next.leftBehind, [{ jobId: 'job', note }])
  t.ok(readFileSync(next.leftBehind[0]?.path ?? '').equals(bytes))
  next.remove(next.leftBehind[0]!)
  t.strictSame(readdirSync(folder), [])
})

t.test('one byte over the limit is refused, and its bytes are not even read', async (t) => {
  const { spool, dir, folder } = open(t)
  const path = join(dir, 'sparse')
  writeFileSync(path, '')
  truncateSync(path, maxArtifactBytes + 1)
  t.match(await spool.keep('job', 'video.webm', artifact({ path })), {
    size: maxArtifactBytes + 1,
    sha256: null,
    refused: 'larger than 150 MB',
  })
  t.strictSame(readdirSync(folder), [])
  t.match(spool.stats(), { files: 0, bytes: 0 })
})

t.test('what grows over the limit while secrets are replaced is refused too', async (t) => {
  const { spool, folder } = open(t, { maxBytes: 1024 * 1024 })
  const text = Buffer.from('abcd'.repeat(256 * 1024))
  const exact = await spool.keep('job', 'a', artifact(text, 'text/plain'))
  t.equal(exact.refused, undefined)
  const grown = await spool.keep('job', 'b', artifact(text, 'text/plain', ['abcd', 'cdab']))
  t.equal(grown.refused, undefined, 'a run of secrets is one')
  const apart = Buffer.from('abcd-'.repeat(200 * 1024))
  t.match(await spool.keep('job', 'c', artifact(apart, 'text/plain', ['abcd'])), {
    refused: 'larger than 1 MB',
  })
  t.equal(readdirSync(folder).length, 4)
})

t.test('no secret reaches the disk', async (t) => {
  const { spool, folder } = open(t)
  const secret = 'correct horse battery staple'
  const content = Buffer.concat([randomBytes(64 * 1024 - 10), Buffer.from(secret), randomBytes(100)])
  const note = await spool.keep('job', 'dump.bin', artifact(content, 'application/octet-stream', [secret]))
  t.equal(note.size, content.length)
  for (const name of readdirSync(folder)) t.equal(readFileSync(join(folder, name)).indexOf(secret), -1)
})

t.test('the oldest go when there is no room, and what never fits is refused', async (t) => {
  let room = 2500
  const { spool, lines } = open(t, { capacity: () => room })
  for (const name of ['a', 'b', 'c']) await spool.keep(`job-${name}`, name, artifact(Buffer.alloc(1000)))
  t.strictSame(
    ['a', 'b', 'c'].map((name) => spool.of(`job-${name}`).length),
    [0, 1, 1],
  )
  t.match(lines, [/SPOOL_MAX_MB.*dropped the artifact a/])
  t.match(await spool.keep('job', 'd', artifact(Buffer.alloc(3000))), { refused: /SPOOL_MAX_MB/ })
  t.equal(spool.stats().files, 2, 'nothing goes for what would not fit anyway')
  room = 1500
  spool.makeRoom(0)
  t.match(spool.stats(), { files: 1, bytes: 1000 }, 'results need the room')
})

t.test('what was half written when an agent died is dropped, what another one writes is not', async (t) => {
  const { spool, dir, folder } = open(t)
  for (const name of ['a', 'b', 'c']) await spool.keep(name, name, artifact(Buffer.from('bytes')))
  const [a, b] = [spool.of('a')[0]!, spool.of('b')[0]!]
  truncateSync(a.path, 2)
  writeFileSync(`${b.path}.json`, '{"jobId":')
  writeFileSync(join(folder, 'fresh'), 'being written')
  writeFileSync(join(folder, 'old'), 'never finished')
  utimesSync(join(folder, 'old'), 0, 0)
  const next = open(t, { dir })
  t.match(
    next.spool.leftBehind.map(({ jobId }) => jobId),
    ['c'],
  )
  t.equal(next.lines.filter((line) => line.includes('damaged')).length, 2)
  t.ok(existsSync(join(folder, 'fresh')))
  t.notOk(existsSync(join(folder, 'old')))
})
