/**
 * What is known between two steps of a sign-in (a code that is asked for, a challenge, a provider's answer) is in a sealed cookie of this
 * browser for some minutes, and nowhere else.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { jsonValue } from '../../platform/web/http/request/json-text.ts'

const lifeMs = 600_000
const context = 'step of a sign-in'

const isSecure = ({ config }: App): boolean => config.baseUrl.startsWith('https:')
const nameOf = (app: App): string => `${isSecure(app) ? '__Host-' : ''}watchpost-step`

/** `kind` names the step: what one seals, no other opens. */
export type Step =
  | { kind: 'code'; userId: string; next: string; method: string }
  | { kind: 'passkey'; challenge: string }
  | { kind: 'oidc'; state: string; nonce: string; verifier: string; next: string }

/** The header that sets it; Lax, because a provider's answer comes from elsewhere. */
export const stepCookie = (app: App & HasCipher, step: Step): string => {
  const sealed = app.cipher.encrypt(JSON.stringify({ ...step, until: app.clock.now() + lifeMs }), context)
  return `${nameOf(app)}=${sealed}; Path=/; Max-Age=${lifeMs / 1000}; HttpOnly; SameSite=Lax${isSecure(app) ? '; Secure' : ''}`
}

/** Null: there is none of this kind, or it is over. */
export const stepIn = <K extends Step['kind']>(
  app: App & HasCipher,
  { cookie = '' }: Readonly<Record<string, string | undefined>>,
  kind: K,
): Extract<Step, { kind: K }> | null => {
  const name = `${nameOf(app)}=`
  const pair = cookie.split(';').find((each) => each.trim().startsWith(name))
  if (pair === undefined) return null
  const step = opened(app, pair.trim().slice(name.length))
  return step !== null && isOfKind(step, kind) && step.until > app.clock.now() ? step : null
}

type SealedStep = Step & { until: number }

const isOfKind = <K extends Step['kind']>(
  step: SealedStep,
  kind: K,
): step is SealedStep & Extract<Step, { kind: K }> => step.kind === kind

/** Sealed by us: what can be opened is what was kept. */
const opened = ({ cipher }: App & HasCipher, sealed: string): SealedStep | null => {
  try {
    return jsonValue(cipher.decrypt(sealed, context)) as SealedStep | null
  } catch {
    // Not ours, or under a key that is gone: then the sign-in begins again.
    return null
  }
}
