import { Type } from 'typebox'
import { isTestCheck } from '../../alerting/alert-channels/test-event.ts'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import { openToken } from '../../alerting/messages/result-link.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { localTimes } from '../../platform/web/html/assets.ts'
import { notice, page } from '../../platform/web/html/html-page.ts'
import { sessionOf } from '../../platform/web/http/auth/session.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import type { HasTraceViewer } from '../trace-viewer/viewer-files.ts'
import { isShown } from './file-kind.ts'
import { readFacts } from './read-facts.ts'
import { refusals, refuse } from './refusals.ts'
import { resultPage, titleOf } from './result-page.ts'

const test = {
  title: 'It works',
  text: [
    'The message was a test of an alert channel, and this is where its link leads.',
    'In a real alert it is the result: what went wrong, where, and how the check does by now.',
  ],
}

const read = route({
  method: 'GET',
  path: '/results/:token',
  access: 'PUBLIC',
  tag: 'Check results',
  summary: 'The page of a result, as links in messages name it',
  description:
    'For people; needs no key. The token is made by the control plane and names one result for 30 days. To a browser (`Accept: text/html`) errors are pages as well. Programs read ' +
    '`/v1/check-results/{checkId}/{checkResultId}` with a key.',
  params: Type.Object({ token: Type.String() }),
  status: 200,
  otherStatuses: { 404: 'The link is not one of ours', 410: 'The link has expired, or the result is gone' },
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  response: Type.String(),
  rateLimit: { requests: 60, seconds: 60 },
  example: { params: { token: 'bww_Ho8LTFWaPio9HS9LEQGTHzpcfXzAiwoPbS8cmhBpf4GAd0mY0nHq3m6vFQkz1Wb8ZrTA' } },
  handle: async ({ params: { token }, headers }, app: App & HasCipher & HasProviders & HasTraceViewer) => {
    const linked = openToken(app, token)
    if (linked === undefined) return refuse(refusals.wrong, headers)
    if (linked.expiresAt <= app.clock.now()) return refuse(refusals.expired, headers)
    if (isTestCheck(linked.checkId)) return notice(test)
    const facts = await readFacts(app, linked, await sessionOf(app, headers))
    if (facts === undefined) return refuse(refusals.gone, headers)
    return page({
      title: titleOf(facts),
      content: resultPage(facts),
      scripts: [localTimes],
      hasMedia: facts.files.some(isShown),
    })
  },
})

export const resultPageRoutes: Route<App & HasCipher & HasProviders & HasTraceViewer>[] = [read]
