import { Type } from 'typebox'
import { isTestCheck } from '../../alerting/alert-channels/test-event.ts'
import { notice, page, wantsPage } from '../../platform/html/html-page.ts'
import { openToken } from '../../platform/html/result-link.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { type Reply, type Route, route } from '../../platform/http/route.ts'
import { readFacts } from './read-facts.ts'
import { resultPage, titleOf } from './result-page.ts'

const wrong = {
  status: 404,
  title: 'This link does not work',
  text: [
    'It may have been cut off or changed on its way: open it from the message itself, or copy all of it.',
    'Results are also in the API, for whoever has a key.',
  ],
}

const expired = {
  status: 410,
  title: 'This link has expired',
  text: [
    'Links in messages work for 30 days.',
    'What is still kept of the result, and newer results of its check, are in the API, for whoever has a key.',
  ],
}

const gone = {
  status: 410,
  title: 'There is no such result any more',
  text: [
    'Most likely its check was deleted.',
    'If the check still exists, its newer results are in the API, for whoever has a key.',
  ],
}

const test = {
  title: 'It works',
  text: [
    'The message was a test of an alert channel, and this is where its link leads.',
    'In a real alert it is the result: what went wrong, where, and how the check does by now.',
  ],
}

type Refusal = typeof wrong

/** In a browser a page that says what to do, elsewhere the error as everywhere in the API. */
const refuse = (
  { status, title, text }: Refusal,
  headers: Readonly<Record<string, string | undefined>>,
): Reply<string> => {
  if (!wantsPage(headers)) throw new ApiError(status, title)
  return notice({ status, title, text })
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
  response: Type.String(),
  rateLimit: { requests: 60, seconds: 60 },
  example: { params: { token: 'bww_Ho8LTFWaPio9HS9LEQGTHzpcfXzAiwoPbS8cmhBpf4GAd0mY0nHq3m6vFQkz1Wb8ZrTA' } },
  handle: async ({ params: { token }, headers }, app) => {
    const linked = openToken(app, token)
    if (linked === undefined) return refuse(wrong, headers)
    if (linked.expiresAt <= app.clock.now()) return refuse(expired, headers)
    if (isTestCheck(linked.checkId)) return notice(test)
    const facts = await readFacts(app, linked)
    if (facts === undefined) return refuse(gone, headers)
    return page({ title: titleOf(facts), content: resultPage(facts) })
  },
})

export const resultPageRoutes: Route[] = [read]
