// Runs on both engines: reports that come at once lock rows.
import t from 'tap'
import { takeReports } from '../../../../control-plane/monitoring/runs/take-reports.ts'
import type { Job } from '../../../../protocol/job.ts'
import type { Report } from '../../../../protocol/result.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { claimRequest, emptyHttpDetail, passingReport } from '../../../support/engine-room.ts'

/** As many URL checks, and the jobs of their first runs. */
const claimed = async (plane: TestApp, count: number): Promise<Job[]> => {
  for (let index = 0; index < count; index++) {
    const body = {
      name: `check ${index}`,
      request: { url: 'http://127.0.0.1/' },
      privateLocations: ['local'],
      locations: [],
      doubleCheck: false,
    }
    const { status, text } = await plane.call('POST', '/v1/checks/url', { body })
    if (status !== 201) throw new Error(text)
  }
  const { body } = await plane.call('POST', '/agent/v1/claim', { key: plane.agentKey, body: claimRequest() })
  return body.jobs
}

const nested = (levels: number): unknown => {
  let value: unknown = 'the innermost'
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

type Change = (report: Report) => unknown

const observed = (more: object): Change => {
  return (report) => {
    if (report.outcome.kind !== 'observed') throw new Error('not an observation')
    return {
      ...report,
      outcome: { ...report.outcome, observation: { ...report.outcome.observation, ...more } },
    }
  }
}

const detail = (more: object): Change => observed({ detail: { ...emptyHttpDetail, ...more } })

const artifacts = (more: object): Change => {
  const note = { type: 'pcap', name: 'a.pcap', contentType: 'x/y', size: 1, sha256: 'ab'.repeat(32), ...more }
  return (report) => ({ ...report, artifacts: [note] })
}

const none = { wait: 0, dns: 0, tcp: 0, tls: 0, firstByte: 0, download: 0, total: 0 }
const start = { start: 0, socket: 0, lookup: 0, connect: 0, secureConnect: 0, response: 0, end: 0 }

/** An answer over TLS, with a certificate that is valid for so long. */
const answer = (daysRemaining: number) => ({
  href: 'https://example.com/',
  status: 200,
  statusText: 'OK',
  httpVersion: '1.1',
  body: '',
  bodyBytes: 0,
  truncated: false,
  headers: {},
  timings: start,
  timingPhases: none,
  remoteAddress: null,
  redirects: [],
  certificate: {
    subject: 'CN=example.com',
    issuer: 'CN=example.com',
    validFrom: '2026-01-01T00:00:00.000Z',
    validTo: '2026-02-01T00:00:00.000Z',
    daysRemaining,
    fingerprint256: 'AA',
    altNames: [],
    authorized: true,
    protocol: 'TLSv1.3',
    cipher: null,
  },
})

/** What an agent may say of a run, and what becomes of it: a result like any other, or a run that could not be run. */
const hostile: [name: string, hasErrors: boolean, change: Change][] = [
  ['NUL in a text', false, detail({ requestError: 'broken\0pipe' })],
  ['a lone surrogate in a text', false, detail({ requestError: 'half of \ud83d' })],
  ['NUL and a lone surrogate in keys', false, observed({ metrics: { 'a\0b': 1, '\udc00': 2 } })],
  ['a key __proto__', false, observed({ metrics: JSON.parse('{"__proto__": 1, "constructor": 2}') })],
  ['a text of 10 MB', false, detail({ requestError: 'x'.repeat(10_000_000) })],
  ['nesting a thousand levels deep', true, observed({ detail: nested(1000) })],
  ['nesting a thousand levels deep in a place of no meaning', false, detail({ more: nested(1000) })],
  ['a text instead of a number', true, observed({ responseTime: '5' })],
  ['a negative response time', true, observed({ responseTime: -1 })],
  ['a response time beyond all measure', false, observed({ responseTime: 1e300 })],
  ['no detail', true, observed({ detail: null })],
  ['a list as detail', true, observed({ detail: [[], []] })],
  ['an outcome that nobody knows', true, (report) => ({ ...report, outcome: { kind: 'exploded' } })],
  ['no outcome', true, ({ outcome: _, ...report }) => report],
  ['a log that is no list', true, (report) => ({ ...report, log: { length: 1e9 } })],
  [
    'a log of 2,000 lines',
    true,
    (report) => ({ ...report, log: Array(2000).fill({ time: 1, level: 'INFO', msg: 'x' }) }),
  ],
  [
    'a line of the log beyond all dates',
    false,
    (report) => ({ ...report, log: [{ time: 1e300, level: 'INFO', msg: 'x' }] }),
  ],
  ['an instant beyond all dates', true, (report) => ({ ...report, stoppedAt: 1e300 })],
  ['an instant that is none', true, (report) => ({ ...report, startedAt: 'yesterday' })],
  ['a file whose name is a path', true, artifacts({ name: '../../etc/passwd' })],
  ['a file larger than anything', true, artifacts({ size: 1e300 })],
  ['a file with NUL in its type', true, artifacts({ contentType: 'x/\0' })],
  [
    'two files of one name',
    false,
    (report) => ({
      ...report,
      artifacts: ['a', 'b'].map((digit) => ({
        type: 'file',
        name: 'same',
        contentType: 'x/y',
        size: 1,
        sha256: digit.repeat(64),
      })),
    }),
  ],
]

for (const engine of engineNames)
  t.test(`whatever one report says, the others of its batch are accepted (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, strictResponses: false })
    const jobs = await claimed(plane, hostile.length + 2)
    const now = plane.app.clock.now()
    const reports = jobs.map((job, index) => {
      const report = passingReport(job, now)
      return hostile[index]?.[2](report) ?? report
    })
    const nobodys = [null, 7, 'text', [], { jobId: 5, fence: 1 }, { jobId: 'x'.repeat(10_000), fence: 1 }]
    const answer = await plane.call('POST', '/agent/v1/report', {
      key: plane.agentKey,
      body: { agentId: 'agent-1', reports: [...nobodys, ...reports] },
    })
    t.equal(answer.status, 200, answer.text.slice(0, 500))
    t.strictSame(answer.body.outcomes, [
      ...nobodys.map(() => ({ jobId: '', outcome: 'refused' })),
      ...jobs.map(({ id }) => ({ jobId: id, outcome: 'accepted' })),
    ])
    plane.advance(1000)
    for (const [index, job] of jobs.entries()) {
      const [name, hasErrors] = hostile[index] ?? ['a good one', false]
      const shown = await plane.call('GET', `/v1/check-results/${job.checkId}/${job.id}`)
      t.equal(shown.status, 200, `${name}: ${shown.text.slice(0, 300)}`)
      t.equal(shown.body.hasErrors, hasErrors, name)
      const list = await plane.call('GET', `/v2/check-results/${job.checkId}`)
      t.equal(list.body.entries?.length, 1, `${name}: the list shows it`)
    }
    const [left] = await plane.app.db.select((k) => k.selectFrom('jobs').select('id').limit(1))
    t.equal(left, undefined, 'no run comes again and again')
  })

t.test('what the store refuses is a run that could not be run, and is said once', async (t) => {
  const plane = await testApp(t, { engine: 'postgres' })
  const jobs = await claimed(plane, 3)
  const now = plane.app.clock.now()
  const reports = jobs.map((job, index) => {
    const report = passingReport(job, now)
    return index === 1 ? detail({ response: answer(1e300) })(report) : report
  })
  const body = { agentId: 'agent-1', reports }
  const { status, body: said } = await plane.call('POST', '/agent/v1/report', { key: plane.agentKey, body })
  t.equal(status, 200)
  t.strictSame(
    said.outcomes,
    jobs.map(({ id }) => ({ jobId: id, outcome: 'accepted' })),
  )
  const stored = await Promise.all(
    jobs.map(({ id, checkId }) => plane.call('GET', `/v1/check-results/${checkId}/${id}`)),
  )
  t.strictSame(
    stored.map(({ body: { hasErrors } }) => hasErrors),
    [false, true, false],
  )
  const errors = plane.logged.filter(({ level }) => Number(level) >= 50)
  t.match(errors, [{ msg: 'A report of an agent could not be stored', jobId: jobs[1]?.id }])
})

/** What engines say when it is not the report's fault (sqlite.org/rescode.html, PostgreSQL's appendix A). */
const storeCodes = [
  ...[
    'SQLITE_FULL',
    'SQLITE_BUSY',
    'SQLITE_BUSY_SNAPSHOT',
    'SQLITE_LOCKED',
    'SQLITE_CANTOPEN',
    'SQLITE_IOERR',
  ],
  ...['SQLITE_IOERR_READ', 'SQLITE_READONLY', 'SQLITE_READONLY_DBMOVED', 'SQLITE_CORRUPT', 'SQLITE_NOTADB'],
  ...[
    'SQLITE_NOMEM',
    '57014',
    '55P03',
    '25006',
    '25P03',
    '40001',
    '53100',
    '53200',
    '53300',
    '58030',
    '08006',
  ],
]

t.test('a store that takes nothing is no reason to give a report up', async (t) => {
  const plane = await testApp(t)
  const [job] = await claimed(plane, 1)
  if (job === undefined) throw new Error('there is no job')
  const failing = (error: Error) => ({
    ...plane.app,
    db: { ...plane.app.db, transaction: () => Promise.reject(error) },
  })
  for (const code of storeCodes) {
    const app = failing(Object.assign(new Error('no'), { code }))
    await t.rejects(takeReports(app, plane.locationId, [passingReport(job)]), { code })
  }
  await t.rejects(
    takeReports(failing(new Error('Query read timeout')), plane.locationId, [passingReport(job)]),
  )
  t.match(await takeReports(plane.app, plane.locationId, [passingReport(job)]), [{ outcome: 'accepted' }])
})

t.test('a report that trips us up is kept by its agent, and the others of its batch are taken', async (t) => {
  const plane = await testApp(t)
  const jobs = await claimed(plane, 3)
  const tripping = jobs[1]?.id
  const { db } = plane.app
  const app = {
    ...plane.app,
    consequences: {
      ...plane.app.consequences,
      onFinalResults: ((trx, results, stamp) => {
        if (results.some(({ resultId }) => resultId === tripping)) throw new TypeError('we are wrong here')
        return plane.app.consequences.onFinalResults(trx, results, stamp)
      }) as typeof plane.app.consequences.onFinalResults,
    },
  }
  const reports = jobs.map((job) => passingReport(job, plane.app.clock.now()))
  const outcomes = async () =>
    (await takeReports(app, plane.locationId, reports)).map(({ outcome }) => outcome)
  t.strictSame(await outcomes(), ['accepted', 'later', 'accepted'])
  t.strictSame(await outcomes(), ['duplicate', 'later', 'duplicate'])
  const [left] = await db.select((k) => k.selectFrom('jobs').select('id'))
  t.equal(left?.id, tripping, 'its run is still open')
  t.match(await takeReports(plane.app, plane.locationId, reports), [
    { outcome: 'duplicate' },
    { outcome: 'accepted' },
    { outcome: 'duplicate' },
  ])
})

t.test('a report that has tripped us up for an hour is given up', async (t) => {
  const plane = await testApp(t)
  const [job] = await claimed(plane, 1)
  if (job === undefined) throw new Error('there is no job')
  const { db } = plane.app
  const report = passingReport(job, plane.app.clock.now())
  let tries = 0
  const app = {
    ...plane.app,
    db: {
      ...db,
      transaction: (work: Parameters<typeof db.transaction>[0]) => {
        tries += 1
        return tries % 2 === 1 ? Promise.reject(new TypeError('we are wrong here')) : db.transaction(work)
      },
    } as typeof db,
  }
  t.match(await takeReports(app, plane.locationId, [report]), [{ outcome: 'later' }])
  tries = 0
  plane.advance(2 * 3_600_000)
  t.match(await takeReports(app, plane.locationId, [report]), [{ outcome: 'accepted' }])
  const { body } = await plane.call('GET', `/v1/check-results/${job.checkId}/${job.id}`)
  t.equal(body.hasErrors, true)
})
