import { exampleOf } from '../../../control-plane/platform/web/http/openapi/example-of.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import { AgenticCheckResult } from '../../../protocol/checks/agentic-result.ts'
import type { HttpCheckResult } from '../../../protocol/checks/http-result.ts'
import type { TestApp } from '../../support/app.ts'
import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import { refused } from '../../support/field-rules.ts'
import { hasShape } from '../../support/shapes.ts'
import { storeCheck, storeFailure, storeResult } from '../../support/stored-results.ts'

const second = 1000
const phases = { wait: 0, dns: 1, tcp: 2, tls: 3, firstByte: 4, download: 5, total: 15 }
const seen: HttpCheckResult = {
  assertions: [
    {
      source: 'STATUS_CODE',
      property: '',
      comparison: 'EQUALS',
      target: 200,
      regex: '',
      order: 0,
      passed: true,
      actual: 200,
      error: null,
    },
  ],
  request: {
    method: 'GET',
    url: 'https://shop.example/',
    data: '',
    headers: { accept: '*/*' },
    params: { q: '1' },
  },
  response: {
    href: 'https://shop.example/',
    status: 200,
    statusText: 'OK',
    httpVersion: '1.1',
    body: 'hello',
    bodyBytes: 5,
    truncated: false,
    headers: { 'content-type': 'text/plain' },
    timings: { socket: 0, lookup: 1, connect: 3, secureConnect: 6, response: 10, end: 15 },
    timingPhases: phases,
    remoteAddress: '203.0.113.7',
    redirects: [],
    certificate: null,
  },
  requestError: 'none',
  jobLog: { setup: [] },
  jobAssets: ['capture.pcap'],
  pcapDataUrl: 'https://watchpost.example/capture.pcap',
}

/** A check with a result that has everything, and its address. */
const withResult = async (plane: TestApp) => {
  const checkId = await storeCheck(plane)
  const at = plane.app.clock.now() - second
  await storeResult(plane, { checkId, at, doc: { apiCheckResult: seen } })
  const { body } = await plane.call('GET', `/v2/check-results/${checkId}`)
  return { checkId, at, page: body, entry: body.entries[0] }
}

/** The results of a check are of its type: asked for those of another, it has none. */
const ofType =
  (checkType: CheckType, other: CheckType): RuleTest =>
  async (t, plane) => {
    const checkId = await storeCheck(plane, { type: checkType })
    const id = await storeResult(plane, { checkId, at: plane.app.clock.now(), checkType })
    const idsOf = async (type: CheckType): Promise<string[]> => {
      const { body } = await plane.call('GET', `/v2/check-results/${checkId}?checkType=${type}`)
      return body.entries.map((entry: { id: string }) => entry.id)
    }
    t.strictSame(await idsOf(checkType), [id])
    t.strictSame(await idsOf(other), [])
  }

/** Two results that differ in one thing, and the query that tells them apart. */
const filtering =
  (query: string, matching: object, other: object): RuleTest =>
  async (t, plane) => {
    const checkId = await storeCheck(plane)
    const at = plane.app.clock.now()
    const id = await storeResult(plane, { checkId, at, ...matching })
    await storeResult(plane, { checkId, at, ...other })
    const { body } = await plane.call('GET', `/v2/check-results/${checkId}?resultType=ALL&${query}`)
    t.strictSame(
      body.entries.map((entry: { id: string }) => entry.id),
      [id],
    )
  }

const wrong =
  (...queries: Array<[query: string, expected: string]>): RuleTest =>
  async (t, plane) => {
    const checkId = await storeCheck(plane)
    for (const [query, expected] of queries)
      await refused(t, plane, { method: 'GET', path: `/v2/check-results/${checkId}?${query}`, expected })
  }

const types: CheckType[] = [
  'AGENTIC',
  'API',
  'BROWSER',
  'HEARTBEAT',
  'ICMP',
  'MULTI_STEP',
  'TCP',
  'PLAYWRIGHT',
  'URL',
  'DNS',
  'SSL',
  'GRPC',
  'TRACEROUTE',
]

testRules('Check result', {
  'every field of the table is in a result, with its type': async (t, plane) => {
    const { entry } = await withResult(plane)
    hasShape(t, entry, {
      resultType: 'text',
      id: 'text',
      name: 'text',
      checkId: 'text',
      hasFailures: 'boolean',
      hasErrors: 'boolean',
      isDegraded: 'boolean',
      isCancelled: 'boolean',
      overMaxResponseTime: 'boolean',
      runLocation: 'text',
      startedAt: 'instant',
      stoppedAt: 'instant',
      created_at: 'instant',
      responseTime: 'number',
      apiCheckResult: 'object?',
      browserCheckResult: 'object?',
      multiStepCheckResult: 'object?',
      agenticCheckResult: 'object?',
      checkRunId: 'number',
      attempts: 'number',
      sequenceId: 'text',
      errorGroupIds: 'texts',
    })
  },
  'resultType: FINAL or ATTEMPT': async (t, plane) => {
    const checkId = await storeCheck(plane)
    for (const resultType of ['FINAL', 'ATTEMPT'] as const)
      await storeResult(plane, { checkId, at: plane.app.clock.now(), resultType })
    const { body } = await plane.call('GET', `/v2/check-results/${checkId}?resultType=ALL`)
    t.strictSame(body.entries.map((entry: { resultType: string }) => entry.resultType).sort(), [
      'ATTEMPT',
      'FINAL',
    ])
  },
  'apiCheckResult: an object or null': async (t, plane) => {
    t.type((await withResult(plane)).entry.apiCheckResult, 'object')
    const checkId = await storeCheck(plane, { type: 'HEARTBEAT' })
    await storeResult(plane, { checkId, at: plane.app.clock.now(), checkType: 'HEARTBEAT' })
    t.equal((await plane.call('GET', `/v2/check-results/${checkId}`)).body.entries[0].apiCheckResult, null)
  },
  'apiCheckResult: every field with its type': async (t, plane) => {
    const { apiCheckResult } = (await withResult(plane)).entry
    hasShape(t, apiCheckResult, {
      assertions: 'list',
      request: 'object',
      response: 'object',
      requestError: 'text?',
      jobLog: 'object?',
      jobAssets: 'list?',
      pcapDataUrl: 'text?',
    })
    hasShape(t, apiCheckResult.assertions[0], { source: 'text', target: 'number' })
    hasShape(t, apiCheckResult.request, {
      method: 'text',
      url: 'text',
      data: 'text',
      headers: 'object',
      params: 'object',
    })
    hasShape(t, apiCheckResult.response, {
      status: 'number',
      statusText: 'text',
      body: 'text',
      headers: 'object',
      timings: 'object',
      timingPhases: 'object',
    })
  },
  'agenticCheckResult: summary, prompt, assertions, suggestions, steps, errors, artifactManifest': async (
    t,
    plane,
  ) => {
    const checkId = await storeCheck(plane, { type: 'AGENTIC' })
    const doc = { agenticCheckResult: exampleOf(AgenticCheckResult) }
    await storeResult(plane, { checkId, at: plane.app.clock.now(), checkType: 'AGENTIC', doc })
    const { body } = await plane.call('GET', `/v2/check-results/${checkId}`)
    const { agenticCheckResult } = body.entries[0]
    hasShape(t, agenticCheckResult, {
      summary: 'text',
      prompt: 'text',
      assertions: 'list',
      suggestions: 'list',
      steps: 'list',
      errors: 'list',
      artifactManifest: 'object',
    })
    t.strictSame(Object.keys(agenticCheckResult.assertions[0]), ['condition', 'passed', 'actual', 'expected'])
    hasShape(t, agenticCheckResult.suggestions[0], {
      summary: 'text',
      prompt: 'text',
      promptReplacement: 'text',
      secrets: 'texts',
      category: 'text',
    })
    const { sequenceNumber, input, ...step } = agenticCheckResult.steps[0]
    hasShape(t, { input }, { input: 'object' })
    t.type(sequenceNumber, 'number')
    t.strictSame(Object.keys(step), ['type', 'name', 'output', 'timestamp'])
  },
  'errorGroupIds: the error groups that a failure belongs to': async (t, plane) => {
    const checkId = await storeCheck(plane)
    const groupId = await storeFailure(plane, { checkId, at: plane.app.clock.now(), message: 'refused' })
    const { body } = await plane.call('GET', `/v2/check-results/${checkId}`)
    t.strictSame(body.entries[0].errorGroupIds, [groupId])
  },
})

testRules('GET /v2/check-results/{checkId}', {
  'limit: an integer, default 10, 1 to 100': each(
    wrong(['limit=0', 'limit minimum'], ['limit=101', 'limit maximum'], ['limit=1.5', 'limit type']),
    async (t, plane) => {
      const checkId = await storeCheck(plane)
      for (let run = 0; run < 101; run++) await storeResult(plane, { checkId, at: run * second })
      const count = async (query: string) =>
        (await plane.call('GET', `/v2/check-results/${checkId}${query}`)).body.length
      t.strictSame([await count(''), await count('?limit=1'), await count('?limit=100')], [10, 1, 100])
    },
  ),
  'nextId: the cursor of the previous response, null when there are no more': async (t, plane) => {
    const checkId = await storeCheck(plane)
    const stored: string[] = []
    for (let run = 0; run < 5; run++) stored.unshift(await storeResult(plane, { checkId, at: run * second }))
    const read: string[] = []
    let nextId: string | null = null
    do {
      const cursor: string = nextId === null ? '' : `&nextId=${nextId}`
      const { body } = await plane.call('GET', `/v2/check-results/${checkId}?limit=2${cursor}`)
      read.push(...body.entries.map(({ id }: { id: string }) => id))
      nextId = body.nextId
    } while (nextId !== null)
    t.strictSame(read, stored)
    t.equal((await plane.call('GET', `/v2/check-results/${checkId}?nextId=x`)).status, 400)
  },
  'from: records at or after this UNIX timestamp': each(
    filtering('from=1000', { at: 1_000_000 }, { at: 999_999 }),
    wrong(['from=yesterday', 'from pattern']),
  ),
  'to: records before this UNIX timestamp': each(
    filtering('to=1000', { at: 999_999 }, { at: 1_000_000 }),
    wrong(['to=tomorrow', 'to pattern']),
  ),
  'location: a location value': filtering(
    'location=eu-west-1',
    { location: 'eu-west-1' },
    { location: 'us-east-1' },
  ),
  'checkType: each of the ten types and no other': each(
    ...types.map((checkType) => ofType(checkType, checkType === 'URL' ? 'API' : 'URL')),
    wrong(['checkType=GOPHER', 'checkType enum']),
  ),
  'hasFailures: only results with failures': each(
    filtering('hasFailures=true', { hasFailures: true }, { hasFailures: false }),
    wrong(['hasFailures=some', 'hasFailures type']),
  ),
  'resultType: FINAL (the default), ATTEMPT or ALL': each(
    async (t, plane) => {
      const checkId = await storeCheck(plane)
      for (const resultType of ['FINAL', 'ATTEMPT'] as const)
        await storeResult(plane, { checkId, at: plane.app.clock.now(), resultType })
      const kinds = async (query: string) =>
        (await plane.call('GET', `/v2/check-results/${checkId}${query}`)).body.entries
          .map(({ resultType }: { resultType: string }) => resultType)
          .sort()
      t.strictSame(await kinds(''), ['FINAL'])
      t.strictSame(await kinds('?resultType=FINAL'), ['FINAL'])
      t.strictSame(await kinds('?resultType=ATTEMPT'), ['ATTEMPT'])
      t.strictSame(await kinds('?resultType=ALL'), ['ATTEMPT', 'FINAL'])
    },
    wrong(['resultType=SOME', 'resultType enum']),
  ),
  'response: `length`, `entries` and `nextId`': async (t, plane) => {
    const { page } = await withResult(plane)
    hasShape(t, page, { length: 'number', entries: 'list', nextId: 'text?' })
    t.equal(page.length, page.entries.length)
  },
})
