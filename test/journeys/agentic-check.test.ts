// Runs in test:all only: it starts a browser for each of its scripts.
/** Both programs as they are started, the check of docs/agentic-checks.md at a local shop by a scripted model, and what its result shows. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { CheckResult } from '../../control-plane/monitoring/results/schema.ts'
import type { AgenticCheckResult } from '../../protocol/checks/agentic-result.ts'
import { callApi } from '../support/api.ts'
import { letChildrenThrough } from '../support/attempts.ts'
import { cannotBrowse } from '../support/browser-room.ts'
import { firstResult } from '../support/first-result.ts'
import { journeyPrograms } from '../support/journey-programs.ts'
import { type ModelTurn, modelAt, scriptedModel } from '../support/scripted-model.ts'
import { shop } from '../support/shop.ts'
import { until } from '../support/until.ts'

letChildrenThrough()

type Example = { prompt: string; environmentVariables: Array<{ value: string }> }

const example = (): Example => {
  const document = readFileSync(new URL('../../docs/agentic-checks.md', import.meta.url), 'utf8')
  return JSON.parse(/```json\n([\s\S]*?)```/.exec(document)?.[1] ?? '') as Example
}

t.test('the example of the documentation is carried out', { skip: cannotBrowse() }, async (t) => {
  const check = example()
  const [{ value: password } = { value: '' }] = check.environmentVariables
  const { origin } = await shop(t, password)
  const turns: ModelTurn[] = [
    [['open', { url: `${origin}/` }]],
    [['fill', { role: 'textbox', variable: 'PASSWORD' }]],
    [
      ['click', { role: 'button', name: 'Sign in' }],
      ['screenshot', {}],
    ],
    [
      ['assert', { check: 'element_text_is', role: 'heading', expected: 'Account' }],
      ['assert', { check: 'text_visible', expected: 'Hello Ann' }],
    ],
    { completed: true, summary: 'Ann signed in and was greeted.' },
  ]
  const model = await scriptedModel(t, (count) => turns[count % turns.length] as ModelTurn)
  const { baseUrl, apiKey, model: name } = modelAt(model.origin)
  const env = { AGENT_LLM_BASE_URL: baseUrl, AGENT_LLM_API_KEY: apiKey, AGENT_LLM_MODEL: name }
  const { url } = await journeyPrograms(t, { env })
  const passed = await firstResult(t, url, '/v1/checks/agentic', {
    ...check,
    prompt: check.prompt.replace('https://shop.example/', `${origin}/`),
  })
  t.match(passed, {
    hasFailures: false,
    hasErrors: false,
    error: null,
    browserCheckResult: null,
    agenticCheckResult: {
      summary: 'Ann signed in and was greeted.',
      assertions: [
        { condition: 'heading: text is', expected: 'Account', actual: 'Account', passed: true },
        {},
      ],
      suggestions: [],
      errors: [],
      model: name,
      usage: { toolCalls: 6 },
    },
  })
  t.notMatch(JSON.stringify([passed, model.questions]), password)
  const stored = async (): Promise<AgenticCheckResult> => {
    const page = await callApi<{ entries: CheckResult[] }>(url, `/v2/check-results/${passed.checkId}`)
    return page.body.entries.at(-1)?.['agenticCheckResult'] as AgenticCheckResult
  }
  await until('its picture', async () => (await stored()).artifactManifest.entries.length === 1, 200)
  t.match((await stored()).artifactManifest, {
    entries: [{ type: 'screenshot', url: /screenshot-1\.png$/ }],
  })
})
