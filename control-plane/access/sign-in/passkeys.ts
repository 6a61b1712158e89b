/**
 * Passkeys (WebAuthn level 2): a key pair of a person's device, which asks for a finger or a PIN itself, so that it is both factors. The host of
 * BASE_URL is what they belong to: with another one they open nothing.
 */
import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { App } from '../../platform/app/app.ts'
import { jsonValue } from '../../platform/web/http/request/json-text.ts'
import {
  findPasskey,
  findUser,
  insertPasskey,
  passkeysOfUser,
  recordPasskeyUse,
} from '../credentials/queries.ts'

const maxPasskeys = 20

/** A tenth of all modules, which a control plane that starts again after a crash does not wait for. */
const webAuthn = () => import('@simplewebauthn/server')

type Config = Pick<App, 'config'>

const hostOf = ({ config }: Config): URL => new URL(config.baseUrl)

/** Browsers have passkeys for names, and over TLS or on the machine itself. */
export const passkeysWork = (app: Config): boolean => {
  const { hostname, protocol } = hostOf(app)
  return hostname === 'localhost' || (protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0)
}

export const registrationOptions = async (
  app: App,
  userId: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> => {
  const user = await app.db.get(findUser, { userId })
  const known = await app.db.all(passkeysOfUser, { userId })
  const { generateRegistrationOptions } = await webAuthn()
  return generateRegistrationOptions({
    rpName: 'Watchpost',
    rpID: hostOf(app).hostname,
    userName: user?.email ?? userId,
    userDisplayName: user?.name ?? user?.email ?? userId,
    userID: new Uint8Array(Buffer.from(userId.replaceAll('-', ''), 'hex')),
    attestationType: 'none',
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

export const authenticationOptions = async (app: App): Promise<PublicKeyCredentialRequestOptionsJSON> => {
  const { generateAuthenticationOptions } = await webAuthn()
  return generateAuthenticationOptions({ rpID: hostOf(app).hostname, userVerification: 'required' })
}

const expectations = (app: App, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: hostOf(app).origin,
  expectedRPID: hostOf(app).hostname,
  requireUserVerification: true,
})

/** What a browser sent that is not what was asked for: data of the caller, whatever the library says of it. */
const orNull = async <T>(work: () => Promise<T>): Promise<T | null> => {
  try {
    return await work()
  } catch {
    return null
  }
}

type Registration = { userId: string; challenge: string; response: string; name: string }

/** False: the browser's answer is not to what was asked. */
export const addPasskey = async (
  app: App,
  { userId, challenge, response, name }: Registration,
): Promise<boolean> => {
  const given = jsonValue(response) as RegistrationResponseJSON | null
  const known = await app.db.all(passkeysOfUser, { userId })
  if (given === null || known.length >= maxPasskeys) return false
  const { verifyRegistrationResponse } = await webAuthn()
  const verified = await orNull(() =>
    verifyRegistrationResponse({ response: given, ...expectations(app, challenge) }),
  )
  if (!verified?.verified) return false
  const { credential } = verified.registrationInfo
  const stored = await app.db.run(insertPasskey, {
    id: credential.id,
    user_id: userId,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    name: name.trim().slice(0, 100) || 'Passkey',
    created_at: app.clock.now(),
    used_at: null,
  })
  return stored > 0
}

/** The user whose passkey answered; null for an unknown passkey. */
export const userOfPasskey = async (
  app: App,
  { challenge, response }: { challenge: string; response: string },
): Promise<string | null> => {
  const given = jsonValue(response) as AuthenticationResponseJSON | null
  const row = await app.db.get(findPasskey, { id: typeof given?.id === 'string' ? given.id : '' })
  if (given === null || row === undefined) return null
  const credential = {
    id: row.id,
    publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
    counter: row.counter,
  }
  const { verifyAuthenticationResponse } = await webAuthn()
  const verified = await orNull(() =>
    verifyAuthenticationResponse({ response: given, credential, ...expectations(app, challenge) }),
  )
  if (!verified?.verified) return null
  const { newCounter: counter } = verified.authenticationInfo
  await app.db.run(recordPasskeyUse, { id: row.id, counter, now: app.clock.now() })
  return row.user_id
}
