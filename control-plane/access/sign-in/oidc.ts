/**
 * Sign-in by a provider of identities: OpenID Connect's code flow with PKCE, state and nonce (openid-client does the protocol). The ID token's
 * signature is always checked against the issuer's keys (RS, PS, ES, EdDSA; never `none` or an HMAC), which openid-client leaves out unless told. It
 * keeps the keys for five minutes, and asks for them again for a key id that it does not know, once a minute at most. All requests to the provider go
 * through the guarded connections; what it says of people counts as far as it proves it.
 */

import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type IDToken,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import { ApiError } from '../../platform/words/errors.ts'
import type { HasOidc, OidcSettings } from './oidc-settings.ts'
import type { Step } from './step-cookie.ts'

const rememberMs = 3_600_000
const timeoutMs = 10_000
/** A token is made for the sign-in that it answers; clocks differ. */
const recentMs = 10 * 60_000

/** The library's requests, made by our guarded connections. */
const guardedFetch =
  ({ outgoing }: App & HasOutgoing): CustomFetch =>
  async (url, { method, headers, body }) => {
    const text = body instanceof URLSearchParams ? body.toString() : body
    const answer = await outgoing.request({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers: Object.fromEntries(new Headers(headers as Record<string, string>)),
      ...(typeof text === 'string' ? { body: text } : {}),
      timeoutMs,
    })
    const pairs = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    )
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: pairs })
  }

const discover = (
  app: App & HasOutgoing,
  { issuer, clientId, clientSecret }: OidcSettings,
): Promise<Configuration> =>
  discovery(
    new URL(issuer),
    clientId,
    clientSecret ?? undefined,
    clientSecret === null ? None() : undefined,
    {
      [customFetch]: guardedFetch(app),
      execute: [
        enableNonRepudiationChecks,
        // An issuer that is named with http is the operator's own decision; any other way stays TLS.
        ...(issuer.startsWith('http:') ? [allowInsecureRequests] : []),
      ],
    },
  )

/** Beside what the library compares: made now, and for this client alone where the token says so. */
const isForUs = (app: App & HasOidc, { iat, azp }: IDToken): boolean =>
  Math.abs(app.clock.now() - iat * 1000) <= recentMs &&
  (azp === undefined || azp === settingsOf(app).clientId)

const memoryOf = perApp(() => ({ known: null as { configuration: Configuration; until: number } | null }))

const settingsOf = ({ config }: App & HasOidc): OidcSettings => {
  if (config.oidc === null) throw new ApiError(404)
  return config.oidc
}

const away = (app: App, error: unknown): ApiError => {
  app.log.warn({ err: error }, 'The OpenID Connect provider does not answer as it should')
  return new ApiError(503, 'The sign-in provider cannot be reached now')
}

/** @throws ApiError 404 where no provider is set, 503 where it is away */
const configurationOf = async (app: App & HasOidc & HasOutgoing): Promise<Configuration> => {
  const memory = memoryOf(app)
  const now = app.clock.now()
  if (memory.known !== null && memory.known.until > now) return memory.known.configuration
  try {
    const configuration = await discover(app, settingsOf(app))
    memory.known = { configuration, until: now + rememberMs }
    return configuration
  } catch (error) {
    throw error instanceof ApiError ? error : away(app, error)
  }
}

const redirectUri = ({ config }: App): string => `${config.baseUrl}/sign-in/oidc/callback`

/** Where the browser goes, and what is remembered until it comes back. @throws ApiError 404 or 503 */
export const beginOidc = async (
  app: App & HasOidc & HasOutgoing,
  next: string,
): Promise<{ url: string; step: Step }> => {
  const configuration = await configurationOf(app)
  const verifier = randomPKCECodeVerifier()
  const [state, nonce] = [randomState(), randomNonce()]
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri(app),
    scope: settingsOf(app).scopes,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  return { url: url.href, step: { kind: 'oidc', state, nonce, verifier, next } }
}

export type Identity = {
  issuer: string
  subject: string
  /** In lower case; null: the provider does not say that it is theirs. */
  email: string | null
  name: string | null
  groups: readonly string[]
}

type Return = { query: string; step: Extract<Step, { kind: 'oidc' }> }

/** Null: the provider refused, or its answer is not to what was asked. */
export const identityOf = async (
  app: App & HasOidc & HasOutgoing,
  { query, step }: Return,
): Promise<Identity | null> => {
  const { state, nonce, verifier } = step
  const configuration = await configurationOf(app)
  try {
    const tokens = await authorizationCodeGrant(configuration, new URL(`${redirectUri(app)}?${query}`), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined) return null
    if (!isForUs(app, claims)) {
      app.log.warn('An ID token was made for another client, or not now')
      return null
    }
    const groups = claims[settingsOf(app).groupsClaim]
    const isProven = claims['email_verified'] === true && typeof claims['email'] === 'string'
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: isProven ? String(claims['email']).toLowerCase().slice(0, 320) : null,
      name: typeof claims['name'] === 'string' ? claims['name'].slice(0, 200) : null,
      groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === 'string'),
    }
  } catch (error) {
    app.log.warn({ err: error }, 'A sign-in by the OpenID Connect provider failed')
    return null
  }
}
