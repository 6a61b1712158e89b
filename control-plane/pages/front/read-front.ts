import { resultLink } from '../../alerting/messages/result-link.ts'
import { connectedMs } from '../../monitoring/locations/serialize-location.ts'
import type { App } from '../../platform/app/app.ts'
import { loopWatch } from '../../platform/services/clock/loop-watch.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { controlPlaneVersion } from '../../platform/settings/config.ts'
import type { SessionPrincipal } from '../../platform/web/http/auth/session.ts'
import { checksByState, connectedAgents, latestRunsOfAccount } from './queries.ts'

export type State = 'passing' | 'degraded' | 'failing' | 'unknown' | 'stale'

export type AccountFacts = {
  agents: number
  checks: Readonly<Record<State, number>>
  latest: Array<{ name: string; state: State; at: number; url: string }>
}

export type FrontFacts = {
  now: number
  version: string
  baseUrl: string
  /** Background work that stands still. */
  late: string[]
  /** Null: nobody is signed in. Nothing of an account is shown then. */
  account: AccountFacts | null
}

const shownRuns = 5
/** A page of an hour ago shows nothing that its reader may not see any more. */
const linkMs = 3_600_000

export const readFront = async (
  app: App & HasCipher,
  session: SessionPrincipal | null,
): Promise<FrontFacts> => ({
  now: app.clock.now(),
  version: controlPlaneVersion,
  baseUrl: app.config.baseUrl,
  late: loopWatch(app).stalled(),
  account: session === null ? null : await accountFacts(app, session.accountId),
})

const accountFacts = async (app: App & HasCipher, accountId: string): Promise<AccountFacts> => {
  const { db } = app
  const now = app.clock.now()
  const agents = await db.get(connectedAgents, { accountId, since: now - connectedMs })
  const states = await db.all(checksByState, { accountId })
  const latest = await db.all(latestRunsOfAccount, { accountId, limit: shownRuns })
  const count = (state: State): number => Number(states.find((row) => row.state === state)?.checks ?? 0)
  return {
    agents: Number(agents?.agents ?? 0),
    checks: {
      passing: count('passing'),
      degraded: count('degraded'),
      failing: count('failing'),
      unknown: count('unknown'),
      stale: count('stale'),
    },
    latest: latest.map(({ check_id: checkId, name, state, last_started_at: at }) => ({
      name,
      state: state as State,
      at,
      url: resultLink(app, { checkId, resultId: null, expiresAt: now + linkMs }),
    })),
  }
}
