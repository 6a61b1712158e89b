/** How somebody signs in: their password, their second factor, their passkeys. */

import { Type } from 'typebox'
import {
  deleteLinksOfUser,
  deletePasskey,
  deleteSessionsOfUser,
  findPassword,
  findTotp,
  findUser,
  passkeysOfUser,
  putPassword,
} from '../../access/credentials/queries.ts'
import {
  beginTotp,
  confirmSecondFactor,
  pendingSecret,
  turnOffSecondFactor,
} from '../../access/credentials/second-factor.ts'
import { base32, totpAddress } from '../../access/credentials/totp.ts'
import { requireFresh } from '../../access/sessions/own-sessions.ts'
import { addPasskey, passkeysWork, registrationOptions } from '../../access/sign-in/passkeys.ts'
import { hashPassword } from '../../access/sign-in/password-hash.ts'
import { passwordError } from '../../access/sign-in/password-rule.ts'
import { admitAttempt, codeAccount } from '../../access/sign-in/sign-in-limit.ts'
import { stepCookie, stepIn } from '../../access/sign-in/step-cookie.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import type { HasLocales } from '../../platform/web/html/locales.ts'
import { say } from '../../platform/web/html/say.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { forgetSessions } from '../../platform/web/http/auth/session.ts'
import { type AccountPrincipal, type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { seeOther } from '../sign-in/local-path.ts'
import { newPasswordField, passkeyForm, passkeyScript, wrong } from '../sign-in/sign-in-page.ts'
import { appPage, appRoute } from './app-page.ts'
import { chooseLanguage, languageSection } from './language.ts'

const pagePath = '/app/profile'
const formRoute = { ...appRoute, method: 'POST', form: true, status: 303 } as const

type Who = { principal: AccountPrincipal; userId: string }

type Words = { problem?: string; done?: string; status?: number }

const passwordSection = (since: number | null): Html => html`<section class="card"><h2>Password</h2>
<p>${since === null ? say('You have none.') : html`Since ${utc(since)}. A new one ends your sessions in other browsers.`}</p>
<form method="post" action="${pagePath}/password">${newPasswordField()}<button>${since === null ? say('Set a password') : say('Change the password')}</button></form></section>`

const totpSection = (since: number | null): Html =>
  since === null
    ? html`<section class="card"><h2>Authenticator app</h2><p>With it a password alone opens nothing.</p>
<form method="post" action="${pagePath}/totp"><button>Set it up</button></form></section>`
    : html`<section class="card"><h2>Authenticator app</h2><p>On since ${utc(since)}. A code is asked for beside your password.</p>
<form method="post" action="${pagePath}/totp/remove"><label for="off-code">To turn it off: a code of it, or one of your recovery codes</label>
<input id="off-code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="40"><button class="danger">Turn it off</button></form></section>`

type Passkeys = Awaited<ReturnType<typeof passkeysOf>>

const passkeysOf = async (app: App, userId: string) => {
  const keys = await app.db.all(passkeysOfUser, { userId })
  return { keys, options: passkeysWork(app) ? await registrationOptions(app, userId) : null }
}

const passkeySection = ({ keys, options }: Passkeys): Html => html`<section class="card"><h2>Passkeys</h2>
${
  options === null
    ? html`<p class="quiet">Browsers offer passkeys over HTTPS and for names only: see BASE_URL.</p>`
    : html`<p>A finger or a PIN of your device instead of password and code.</p>`
}
<ul class="list">${keys.map(
  ({
    id,
    name,
    created_at,
    used_at,
  }) => html`<li><div class="row"><div><strong>${name}</strong><p class="quiet">Since ${utc(created_at)}${used_at === null ? null : say(' · last used {0}', utc(used_at))}</p></div>
<form method="post" action="${pagePath}/passkeys/remove"><input type="hidden" name="id" value="${id}"><button class="second small">Remove<span class="skip"> ${name}</span></button></form></div></li>`,
)}</ul>
${options === null ? null : passkeyForm(`${pagePath}/passkeys`, options, html`<label for="passkey-name">Name of the device</label><input id="passkey-name" name="name" maxlength="100"><button>Add a passkey</button>`, 'create')}</section>`

const profilePage = async (
  app: App & HasCipher & HasLocales,
  { principal, userId }: Who,
  words: Words = {},
): Promise<Reply<string>> => {
  const user = await app.db.get(findUser, { userId })
  const password = await app.db.get(findPassword, { userId })
  const totp = await app.db.get(findTotp, { userId })
  const passkeys = await passkeysOf(app, userId)
  const { challenge } = passkeys.options ?? { challenge: null }
  return appPage(app, principal, {
    title: 'Profile',
    pagePath,
    ...(words.status === undefined ? {} : { status: words.status }),
    ...(challenge === null
      ? {}
      : { scripts: [passkeyScript], cookie: stepCookie(app, { kind: 'passkey', challenge }) }),
    content: html`${wrong(words.problem)}${words.done === undefined ? null : html`<p class="done" role="status">${words.done}</p>`}
<p>Signed in as <strong>${user?.name ?? user?.email ?? ''}</strong> (${user?.email ?? ''})</p>
${passwordSection(password?.updated_at ?? null)}${totpSection(totp?.confirmed_at ?? null)}${passkeySection(passkeys)}${languageSection(app, user?.language ?? null)}`,
  })
}

const show = route({
  ...appRoute,
  method: 'GET',
  path: pagePath,
  summary: 'How somebody signs in',
  status: 200,
  handle: async ({ principal }, app: App & HasCipher & HasLocales) =>
    profilePage(app, { principal, ...(await requireFresh(app, principal)) }),
})

const setPassword = route({
  ...formRoute,
  path: `${pagePath}/password`,
  summary: 'Choose a new password',
  body: Type.Object({ password: Type.Optional(Type.String({ maxLength: 400 })) }),
  handle: async (
    { principal, address, body: { password = '' } },
    app: App & HasCipher & HasLocales & HasRandomBytes,
  ) => {
    const { userId, sessionId } = await requireFresh(app, principal)
    const user = await app.db.get(findUser, { userId })
    const problem = passwordError(password, { email: user?.email ?? '' })
    if (problem !== null) return profilePage(app, { principal, userId }, { problem, status: 400 })
    const hash = await hashPassword(app, password, { address, known: userId })
    const now = app.clock.now()
    await app.db.transaction(async (trx) => {
      await trx.run(putPassword, { userId, hash, now })
      await trx.run(deleteLinksOfUser, { userId })
      await trx.run(deleteSessionsOfUser, { userId, except: sessionId })
    })
    forgetSessions(app)
    return profilePage(app, { principal, userId }, { done: 'The password is changed.', status: 200 })
  },
})

const totpPage = async (
  app: App,
  { principal, userId }: Who,
  secret: Buffer,
  problem?: string,
): Promise<Reply<string>> => {
  const user = await app.db.get(findUser, { userId })
  const address = totpAddress(secret, { email: user?.email ?? userId, issuer: 'Watchpost' })
  return appPage(app, principal, {
    title: 'Authenticator app',
    pagePath,
    status: problem === undefined ? 200 : 400,
    content: html`<section class="card">${wrong(problem)}<p>Read this picture with your app, or type the secret into it.</p>
${await picture(address)}<p><code>${base32(secret).replace(/(.{4})(?=.)/g, '$1 ')}</code></p>
<form method="post" action="${pagePath}/totp/confirm"><label for="code">Code that the app shows now</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="10"><button>Turn it on</button></form></section>`,
  })
}

/** Our own markup around the path of dark fields: nothing of the library's is taken as it is. */
const picture = async (text: string): Promise<Content> => {
  const { toString: qrCode } = await import('qrcode')
  const svg = await qrCode(text, { type: 'svg', margin: 0 })
  const [, size = '0'] = /viewBox="0 0 (\d+) \d+"/.exec(svg) ?? []
  const [, path = ''] = /stroke="#000000" d="([^"]+)"/.exec(svg) ?? []
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="The secret as a picture" shape-rendering="crispEdges"><path stroke="#000" d="${path}"></path></svg>`
}

const beginTotpSetup = route({
  ...formRoute,
  path: `${pagePath}/totp`,
  summary: 'Set up an authenticator app',
  body: Type.Object({}),
  handle: async ({ principal }, app: App & HasCipher & HasLocales & HasRandomBytes) => {
    const { userId } = await requireFresh(app, principal)
    const totp = await app.db.get(findTotp, { userId })
    if (totp !== undefined && totp.confirmed_at !== null) return seeOther(pagePath)
    return totpPage(app, { principal, userId }, await beginTotp(app, userId))
  },
})

const confirmTotpSetup = route({
  ...formRoute,
  path: `${pagePath}/totp/confirm`,
  summary: 'Turn an authenticator app on',
  body: Type.Object({ code: Type.Optional(Type.String({ maxLength: 10 })) }),
  handle: async (
    { principal, body: { code = '' }, address },
    app: App & HasCipher & HasLocales & HasRandomBytes,
  ) => {
    const { userId, sessionId } = await requireFresh(app, principal)
    const secret = await pendingSecret(app, userId)
    if (secret === null) return seeOther(pagePath)
    admitAttempt(app, { address, account: codeAccount(userId), known: sessionId })
    const codes = await confirmSecondFactor(app, { userId, code })
    if (codes === null)
      return totpPage(app, { principal, userId }, secret, 'This is not the code that the app shows now.')
    return appPage(app, principal, {
      title: 'Recovery codes',
      pagePath,
      status: 200,
      content: html`<section class="card"><p>The app is on. Keep these codes where you find them without your phone: each lets you in once, and they are not shown again.</p>
<ul class="codes">${codes.map((each) => html`<li>${each}</li>`)}</ul><p><a href="${pagePath}">I have kept them</a></p></section>`,
    })
  },
})

const removeTotp = route({
  ...formRoute,
  path: `${pagePath}/totp/remove`,
  summary: 'Turn the authenticator app off',
  body: Type.Object({ code: Type.Optional(Type.String({ maxLength: 40 })) }),
  handle: async (
    { principal, address, body: { code = '' } },
    app: App & HasCipher & HasLocales & HasRandomBytes,
  ) => {
    const { userId, sessionId } = await requireFresh(app, principal)
    admitAttempt(app, { address, account: codeAccount(userId), known: sessionId })
    if (await turnOffSecondFactor(app, { userId, code })) return seeOther(pagePath)
    return profilePage(
      app,
      { principal, userId },
      { problem: 'This code is not right, or was used already.', status: 400 },
    )
  },
})

const createPasskey = route({
  ...formRoute,
  path: `${pagePath}/passkeys`,
  summary: 'Add a passkey',
  body: Type.Object({
    name: Type.Optional(Type.String({ maxLength: 100 })),
    response: Type.Optional(Type.String({ maxLength: 20_000 })),
  }),
  handle: async (
    { principal, body: { name = '', response = '' }, headers },
    app: App & HasCipher & HasLocales,
  ) => {
    const { userId } = await requireFresh(app, principal)
    const step = stepIn(app, headers, 'passkey')
    const isAdded =
      step !== null && (await addPasskey(app, { userId, challenge: step.challenge, response, name }))
    if (!isAdded)
      return profilePage(app, { principal, userId }, { problem: 'The passkey was not taken.', status: 400 })
    return seeOther(pagePath)
  },
})

const removePasskey = route({
  ...formRoute,
  path: `${pagePath}/passkeys/remove`,
  summary: 'Remove a passkey',
  body: Type.Object({ id: Type.String({ maxLength: 2000 }) }),
  handle: async ({ principal, body: { id } }, app: App & HasCipher & HasLocales & HasRandomBytes) => {
    const { userId } = await requireFresh(app, principal)
    await app.db.run(deletePasskey, { userId, id })
    return seeOther(pagePath)
  },
})

export const profileRoutes: Route<App & HasCipher & HasLocales & HasRandomBytes>[] = [
  ...[show, setPassword, beginTotpSetup, confirmTotpSetup, removeTotp],
  ...[createPasskey, removePasskey, chooseLanguage],
]
