/** Tests of checks: the latest ones, and one with its results so far. Nobody is alerted of what comes of them. */
import { listTestSessions } from '../../monitoring/watches/test-sessions/list-route.ts'
import { readTestSession } from '../../monitoring/watches/test-sessions/routes.ts'
import type { TestSessionItem, TestSessionResult } from '../../monitoring/watches/test-sessions/schema.ts'
import { html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { factList } from '../../platform/web/html/section.ts'
import { milliseconds } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { locationNames } from './check-links.ts'
import { dashboardPage } from './frame.ts'
import { actionLink } from './operations.ts'
import { actionButton, agoOf, card, linkButton, table } from './parts.ts'
import type { RequestContext } from './request-context.ts'
import { sayWord } from './words.ts'

const section = '/app/check-sessions'
const shown = 100

export const testsPage = async (context: RequestContext): Promise<Reply<string>> => {
  const { body } = await context.call(listTestSessions, { query: { limit: shown } })
  return dashboardPage(context, {
    title: say('Tests'),
    section,
    trail: [[section, say('Sessions')]],
    actions: context.can('READ_RUN')
      ? linkButton(actionLink('POST /v1/test-sessions/trigger'), 'Test checks by tag', 'main')
      : null,
    content: card(
      '',
      table<TestSessionItem>(
        'Tests',
        [
          {
            label: 'Test',
            kind: 'main',
            cell: ({ id, name }) => html`<a href="/app/test-sessions/${id}">${name}</a>`,
          },
          { label: 'State', cell: ({ status }) => sayWord(status, 'status') },
          { label: 'Started', cell: ({ startedAt }) => agoOf(startedAt, context.now) },
        ],
        body.entries,
        'Nothing was tested yet.',
      ),
      'tests',
    ),
  })
}

export const testPage = async (context: RequestContext): Promise<Reply<string>> => {
  const testSessionId = context.params['id'] ?? ''
  const { body: test } = await context.call(readTestSession, { params: { testSessionId } })
  const isOver = test.stoppedAt !== null
  const names = await locationNames(context)
  const { branchName, commitId } = test.metadata
  return dashboardPage(context, {
    title: say('Test {0}', test.name),
    section,
    trail: [
      [section, say('Sessions')],
      ['/app/test-sessions', say('Tests')],
    ],
    actions:
      isOver || !context.can('READ_RUN')
        ? null
        : actionButton(
            actionLink(
              'POST /v1/test-sessions/:testSessionId/cancel',
              { testSessionId },
              { back: `/app/test-sessions/${testSessionId}` },
            ),
            'Cancel',
          ),
    content: html`${card(
      '',
      factList([
        ['State', sayWord(test.status, 'status')],
        ['Started', agoOf(test.startedAt, context.now)],
        ['Took', milliseconds(test.timeElapsed)],
        ...(branchName === undefined ? [] : [['Branch', branchName] as [string, string]]),
        ...(commitId === undefined ? [] : [['Commit', commitId] as [string, string]]),
      ]),
      'head',
    )}${card('Runs', resultsTable(test.results, names), 'runs')}${isOver ? null : html`<p class="quiet">It still runs. Without a script, <a href="/app/test-sessions/${testSessionId}">load this page again</a>.</p>`}`,
  })
}

const resultsTable = (
  results: readonly TestSessionResult[],
  names: Awaited<ReturnType<typeof locationNames>>,
) =>
  table<TestSessionResult>(
    'Runs',
    [
      {
        label: 'Check',
        kind: 'main',
        cell: ({ name, testSessionResultLink }) => html`<a href="${testSessionResultLink}">${name}</a>`,
      },
      { label: 'State', cell: ({ status }) => sayWord(status, 'status') },
      { label: 'Location', cell: ({ runLocation }) => names(runLocation) },
    ],
    results,
    'Nothing was tested yet.',
  )
