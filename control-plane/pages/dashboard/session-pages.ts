/** What was run by hand or by a program: the latest sessions, and one with its results so far. */
import { readCheckSession } from '../../monitoring/watches/check-sessions/routes.ts'
import { shownStatus } from '../../monitoring/watches/check-sessions/session-status.ts'
import { html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { factList } from '../../platform/web/html/section.ts'
import { milliseconds } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { locationNames } from './check-links.ts'
import { dashboardPage } from './frame.ts'
import { actionLink } from './operations.ts'
import { actionButton, agoOf, card, linkButton, table } from './parts.ts'
import { latestSessions } from './queries.ts'
import type { RequestContext } from './request-context.ts'
import { runsTable } from './runs-table.ts'
import { sayWord } from './words.ts'

const maxShown = 100

type Session = {
  id: string
  check_id: string
  name: string
  status: string
  claimed: string | null
  started_at: number
  stopped_at: number | null
}

export const sessionsPage = async (context: RequestContext): Promise<Reply<string>> => {
  const { accountId } = context.principal
  const sessions: Session[] = await context.app.db.all(latestSessions, { accountId, limit: maxShown })
  return dashboardPage(context, {
    title: say('Sessions'),
    section: '/app/check-sessions',
    isLive: true,
    actions: [
      linkButton('/app/test-sessions', 'Tests'),
      context.can('READ_RUN')
        ? linkButton(actionLink('POST /v2/check-sessions/trigger'), 'Run checks by tag', 'main')
        : null,
    ],
    content: card(
      '',
      table<Session>(
        'Sessions',
        [
          {
            label: 'Session',
            kind: 'main',
            cell: ({ id, name }) => html`<a href="/app/check-sessions/${id}">${name}</a>`,
          },
          {
            label: 'State',
            cell: ({ status, claimed }) => sayWord(shownStatus(status, claimed !== null), 'status'),
          },
          { label: 'Started', cell: ({ started_at }) => agoOf(started_at, context.now) },
          {
            label: 'Took',
            kind: 'num',
            cell: ({ started_at, stopped_at }) =>
              stopped_at === null ? say('runs') : milliseconds(stopped_at - started_at),
          },
        ],
        sessions,
        'Nothing was run by hand yet.',
      ),
      'sessions',
    ),
  })
}

export const sessionPage = async (context: RequestContext): Promise<Reply<string>> => {
  const checkSessionId = context.params['id'] ?? ''
  const { body: session } = await context.call(readCheckSession, {
    params: { checkSessionId },
  })
  const isOver = session.stoppedAt !== null
  const names = await locationNames(context)
  return dashboardPage(context, {
    title: say('Session of {0}', session.name),
    section: '/app/check-sessions',
    trail: [['/app/check-sessions', say('Sessions')]],
    isLive: !isOver,
    actions: [
      linkButton(`/app/checks/${session.checkId}`, 'Its check'),
      isOver || !context.can('READ_RUN')
        ? null
        : actionButton(
            actionLink(
              'POST /v2/check-sessions/:checkSessionId/cancel',
              { checkSessionId },
              { back: `/app/check-sessions/${checkSessionId}` },
            ),
            'Cancel',
          ),
    ],
    content: html`<div data-ids="${session.checkId}">${card(
      '',
      factList([
        ['State', sayWord(session.status, 'status')],
        ['Started', agoOf(session.startedAt, context.now)],
        ['Locations', session.runLocations.map(names).join(', ')],
        ['Took', milliseconds(session.timeElapsed)],
      ]),
      'head',
    )}${card(
      'Runs',
      runsTable(
        session.results.map((result) => ({
          ...result,
          id: result.checkResultId,
          attempts: 0,
          error: null,
          startedAt: result.startedAt ?? session.startedAt,
        })),
        { names },
      ),
      'runs',
    )}${isOver ? null : html`<p class="quiet">It still runs. Without a script, <a href="/app/check-sessions/${checkSessionId}">load this page again</a>.</p>`}</div>`,
  })
}
