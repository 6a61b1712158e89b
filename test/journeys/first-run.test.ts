import t from 'tap'
import { CheckResultPage } from '../../control-plane/monitoring/results/schema.ts'
import { compile } from '../../protocol/validate.ts'
import { callApi, urlMonitor } from '../support/api.ts'
import type { CheckResult } from '../support/first-result.ts'
import { endsWith, listening, scratchFolder, spawnAgent, spawnControlPlane } from '../support/programs.ts'
import { httpServer } from '../support/servers.ts'
import { until } from '../support/until.ts'

type Page = { length: number; entries: CheckResult[]; nextId: string | null }

const validatePage = compile(CheckResultPage)

t.test('a URL monitor that is created runs at once and its judged result is in the API', async (t) => {
  const target = await httpServer(t, (_request, response) => {
    response.setHeader('content-type', 'text/plain')
    response.end('All systems are up')
  })
  const folder = await scratchFolder(t)
  const controlPlane = await listening(endsWith(t, spawnControlPlane({ dataDir: `${folder}/data` })))
  const agent = endsWith(t, spawnAgent({ url: controlPlane.url, spoolDir: `${folder}/spool` }))
  await agent.line(/connected to the control plane/)

  const postedAt = performance.now()
  const { status, body: check } = await callApi<{ id: string }>(controlPlane.url, '/v1/checks/url', {
    method: 'POST',
    // Its slots are half a day apart: what comes soon is the run of its creation.
    body: {
      ...urlMonitor('first run', `${target.origin}/status`),
      frequency: 720,
      frequencyOffset: 12,
    },
  })
  t.equal(status, 201)

  let page: Page = { length: 0, entries: [], nextId: null }
  const look = async (): Promise<boolean> => {
    page = (await callApi<Page>(controlPlane.url, `/v2/check-results/${check.id}`)).body
    return page.length > 0
  }
  await until('the first result', look)
  t.comment(`first result ${Math.round(performance.now() - postedAt)} ms after the POST`)

  t.test('in the shape of the contract, with real timings', async (t) => {
    t.match(validatePage(structuredClone(page)), { ok: true })
    const [result] = page.entries as [CheckResult]
    t.match(result, {
      resultType: 'FINAL',
      checkId: check.id,
      checkType: 'URL',
      name: 'first run',
      runLocation: 'local',
      hasFailures: false,
      hasErrors: false,
      isDegraded: false,
      isCancelled: false,
      overMaxResponseTime: false,
      attempts: 0,
      errorGroupIds: [],
      browserCheckResult: null,
      apiCheckResult: {
        assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: 200, actual: 200, passed: true }],
        request: { method: 'GET', url: `${target.origin}/status` },
        response: { status: 200, statusText: 'OK', body: 'All systems are up' },
        requestError: null,
      },
    })
    const response = result.apiCheckResult?.response
    if (!response) return void t.fail('the result has a response')
    const { timings, timingPhases } = response
    const moments = [timings.socket, timings.lookup, timings.connect, timings.response, timings.end]
    t.strictSame(
      moments,
      moments.toSorted((a, b) => Number(a) - Number(b)),
      'the moments of the connection are in order',
    )
    for (const phase of ['tcp', 'firstByte', 'total'] as const)
      t.ok(Number(timingPhases[phase]) > 0, `${phase} took time`)
    t.ok(Date.parse(result.startedAt) <= Date.parse(result.stoppedAt))
  })

  t.test('and both programs end cleanly when they are asked to', async (t) => {
    await agent.end('SIGTERM')
    t.match(agent.output(), /all results are uploaded/)
    await controlPlane.end('SIGTERM')
    t.match(controlPlane.output(), /Stopped/)
  })
})
