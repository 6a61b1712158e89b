/** The dashboard as somebody in a browser has it: signed in, with checks that do well and badly. */
import type { Test } from 'tap'
import { insertApiKey } from '../../control-plane/access/api-keys/queries.ts'
import { recordStatus } from '../../control-plane/monitoring/watches/check-statuses/queries.ts'
import { keyHash } from '../../control-plane/platform/web/http/auth/auth.ts'
import { openSession } from '../../control-plane/platform/web/http/auth/session.ts'
import type { Role } from '../../control-plane/platform/words/shapes/roles.ts'
import type { TestApp } from './app.ts'
import type { BrowserContext, ResultBrowser } from './result-browser.ts'
import { storeCheck, storeResult } from './stored-results.ts'

/** The cookie of a session with that role, as a browser sends it. */
export const sessionOf = async ({ app, accountId }: TestApp, role: Role = 'OWNER'): Promise<string> => {
  const apiKeyId = app.newId()
  const now = app.clock.now()
  const hash = keyHash(`wp_${app.randomBytes(32).toString('base64url')}`)
  const kind = role === 'OWNER' ? 'user' : 'service'
  await app.db.run(insertApiKey, {
    ...{ id: apiKeyId, accountId, userId: null, kind, role, name: 'browser', hash, masked: 'x', now },
  })
  const header = await openSession(app, {
    accountId,
    userId: null,
    apiKeyId,
    address: '127.0.0.1',
    browser: 'test',
  })
  return header.split(';')[0] ?? ''
}

export type PageAnswer = { status: number; location: string | null; text: string; headers: Headers }

/** Without following where it leads. */
export const visitPage = async (
  { url }: TestApp,
  cookie: string,
  path: string,
  form?: Record<string, string> | URLSearchParams,
): Promise<PageAnswer> => {
  const answer = await fetch(`${url}${path}`, {
    redirect: 'manual',
    headers: {
      cookie,
      accept: 'text/html',
      ...(form === undefined ? {} : { origin: url, 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form).toString() }),
  })
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    text: await answer.text(),
    headers: answer.headers,
  }
}

/** A context of a browser that is signed in. */
export const signedIn = async (
  t: Test,
  browser: ResultBrowser,
  { plane, role, options = {} }: { plane: TestApp; role?: Role; options?: object },
): Promise<BrowserContext> => {
  const [name = '', value = ''] = (await sessionOf(plane, role)).split('=')
  const context = await browser.newContext({
    ...options,
    storageState: {
      cookies: [
        {
          name,
          value,
          domain: '127.0.0.1',
          path: '/',
          expires: -1,
          httpOnly: true,
          secure: false,
          sameSite: 'Lax',
        },
      ],
      origins: [],
    },
  })
  t.teardown(() => context.close())
  return context
}

type State = 'passing' | 'failing' | 'degraded' | 'unknown'

export const setState = async ({ app, accountId }: TestApp, checkId: string, state: State): Promise<void> => {
  const now = app.clock.now()
  await app.db.run(recordStatus, {
    ...{ checkId, accountId, state, hasErrors: state === 'unknown', isDegraded: state === 'degraded' },
    ...{ hasFailures: state === 'failing', longestRunMs: 120, shortestRunMs: 12, location: 'local' },
    ...{ checkRunId: now, startedAt: now, sslDaysRemaining: null, now, updatedAt: null },
  })
}

/** A check of that name and state whose newest runs say so. */
export const checkWith = async (
  plane: TestApp,
  {
    name,
    state,
    error = null,
    type = 'URL',
    doc = {},
  }: { name: string; state: State; error?: string | null; type?: string; doc?: object },
): Promise<{ checkId: string; resultId: string }> => {
  const checkId = await storeCheck(plane, { name, type, doc })
  const now = plane.app.clock.now()
  let resultId = ''
  for (let back = 30; back >= 0; back--) {
    const isBad = state === 'failing' && back < 3
    resultId = await storeResult(plane, {
      ...{ checkId, checkType: type, at: now - back * 40 * 60_000, responseTime: 90 + ((back * 37) % 60) },
      ...{
        hasFailures: isBad,
        isDegraded: state === 'degraded' && back < 3,
        doc: { name, error: isBad ? error : null },
      },
    })
  }
  await setState(plane, checkId, state)
  return { checkId, resultId }
}
