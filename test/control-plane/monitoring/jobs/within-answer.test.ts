import t from 'tap'
import { maxAnswerLength, withinAnswer } from '../../../../control-plane/monitoring/jobs/assemble-jobs.ts'
import type { ClaimResponse } from '../../../../protocol/agent-api.ts'
import { type Job, textLength } from '../../../../protocol/job.ts'
import { eachEngine } from '../../../support/app.ts'
import { claimRequest } from '../../../support/engine-room.ts'
import { urlJob } from '../../../support/fake-control-plane.ts'

const sized = (length: number) => urlJob('', { spec: 'x'.repeat(length) })

t.test('an answer takes what fits, and at least one', async (t) => {
  const third = sized(Math.floor(maxAnswerLength / 3))
  t.equal(withinAnswer([third, third, third, third]).taken.length, 2)
  const huge = sized(2 * maxAnswerLength)
  t.match(withinAnswer([huge, third]), { taken: [huge], left: [third] })
  t.match(withinAnswer([]), { taken: [], left: [] })
})

eachEngine('jobs that are too large for one answer come with the next', async (t, plane) => {
  const headers = Array.from({ length: 15 }, (_, index) => ({ key: `x-${index}`, value: 'x'.repeat(16_000) }))
  const count = 30
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const body = {
      name: `large ${index}`,
      request: {
        method: 'POST',
        url: 'http://127.0.0.1/',
        headers,
        queryParameters: headers,
        bodyType: 'RAW',
        body: 'x'.repeat(250_000),
      },
      privateLocations: ['local'],
    }
    const created = await plane.call('POST', '/v1/checks/api', { body })
    t.equal(created.status, 201, created.text.slice(0, 300))
    ids.push(created.body.id)
  }
  const claim = async (): Promise<Job[]> => {
    const answer = await plane.call('POST', '/agent/v1/claim', {
      key: plane.agentKey,
      body: claimRequest({ checkTypes: ['API'] }),
    })
    return (answer.body as ClaimResponse).jobs
  }
  await claim()
  const triggered = await plane.call('POST', '/v1/check-sessions/trigger', {
    body: { target: { checkId: ids } },
  })
  t.ok(triggered.status < 300, triggered.text)
  const claimed: Job[] = []
  const answers: number[] = []
  for (let jobs = await claim(); jobs.length > 0; jobs = await claim()) {
    claimed.push(...jobs)
    answers.push(textLength(jobs))
  }
  t.comment(
    `${claimed.length} jobs in ${answers.length} answers of at most ${Math.max(...answers)} characters`,
  )
  t.equal(new Set(claimed.map(({ checkName }) => checkName)).size, count, 'all come')
  t.equal(new Set(claimed.map(({ id }) => id)).size, claimed.length, 'each once')
  t.ok(answers.length > 1, 'they do not fit into one')
  t.ok(answers.every((length) => length <= maxAnswerLength))
})

eachEngine('headers and query parameters have a limit for all of them together', async (t, plane) => {
  const items = Array.from({ length: 20 }, (_, index) => ({ key: `x-${index}`, value: 'x'.repeat(16_000) }))
  const answer = await plane.call('POST', '/v1/checks/api', {
    body: {
      name: 'too large',
      request: { method: 'GET', url: 'http://127.0.0.1/', headers: items, queryParameters: items },
    },
  })
  t.equal(answer.status, 400)
  t.match(
    answer.body.attributes.violations.map(({ path }: { path: string }) => path),
    ['request.headers', 'request.queryParameters'],
  )
  t.match(answer.body.message, /must not be longer than 256 KB together; they are 313 KB/)
})
