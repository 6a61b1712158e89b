/** The pages on which people sign in. */

import { mailsAreSent } from '../../access/sign-in/forgotten-password.ts'
import type { HasOidc } from '../../access/sign-in/oidc-settings.ts'
import { authenticationOptions, passkeysWork } from '../../access/sign-in/passkeys.ts'
import { longestPassword, shortestPassword } from '../../access/sign-in/password-rule.ts'
import { stepCookie } from '../../access/sign-in/step-cookie.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { ours, say } from '../../platform/web/html/say.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { passkeyScript } from '../assets/all.ts'
import { narrowPage } from './narrow-page.ts'

/** What asks for passkeys comes with the form that they are asked in. */
export { passkeyScript }

export const wrong = (problem: Content | undefined): Content =>
  problem === undefined ? null : html`<p class="wrong" role="alert">${ours(problem)}</p>`

/** Hidden until the script shows it. */
export const passkeyForm = (action: string, options: object, content: Html, kind: 'create' | 'get'): Html =>
  html`<form method="post" action="${action}" data-passkey="${kind}" data-options="${JSON.stringify(options)}" hidden>
<input type="hidden" name="response" value="">${content}<p class="quiet" role="status"></p></form>`

type SignIn = {
  next: string
  problem?: Content | undefined
  status?: number
  email?: string | undefined
}

const passkeyWay = async (app: App & HasCipher, next: string) => {
  if (!passkeysWork(app)) return null
  const options = await authenticationOptions(app)
  const content = html`<input type="hidden" name="next" value="${next}"><button class="second wide-action">Sign in with a passkey</button>`
  return {
    form: passkeyForm('/sign-in/passkey', options, content, 'get'),
    cookie: stepCookie(app, { kind: 'passkey', challenge: options.challenge }),
  }
}

export const signInPage = async (
  app: App & HasOidc & HasCipher,
  { next, problem, status, email = '' }: SignIn,
): Promise<Reply<string>> => {
  const passkey = await passkeyWay(app, next)
  return narrowPage({
    ...(passkey === null ? {} : { cookie: passkey.cookie, scripts: [passkeyScript] }),
    title: 'Sign in',
    ...(status === undefined ? {} : { status }),
    content: html`${wrong(problem)}
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="320" value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="${longestPassword}">
<div class="row"><button>Sign in</button>${mailsAreSent(app) ? html`<a href="/sign-in/forgotten">Forgot your password?</a>` : null}</div>
</form>
<p class="or">or</p>
${passkey?.form ?? null}
${app.config.oidc === null ? null : html`<a class="action wide-action" href="/sign-in/oidc?next=${encodeURIComponent(next)}">Sign in with ${app.config.oidc.name}</a>`}
<details><summary>Sign in with an API key</summary>
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
<label for="key">API key<span class="hint">The one of a first start is in <code>bootstrap.json</code> of the data folder.</span></label>
<input id="key" name="key" type="password" autocomplete="off" required maxlength="200">
<button>Sign in with the key</button>
</form></details>`,
  })
}

export const codePage = (problem?: Content): Reply<string> =>
  narrowPage({
    title: 'One more step',
    ...(problem === undefined ? {} : { status: 401 }),
    content: html`${wrong(problem)}
<form method="post" action="/sign-in/code">
<label for="code">Code<span class="hint">Six digits of your authenticator app, or one of your recovery codes.</span></label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="40" autofocus>
<button>Go on</button>
</form>`,
  })

/** For a password that is chosen: browsers and password managers know `new-password`. */
export const newPasswordField = (): Html =>
  html`<label for="password">Password<span class="hint">At least ${shortestPassword} characters; several words are good.</span></label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${shortestPassword}" maxlength="${longestPassword}">`

export const forgottenPage = (): Reply<string> =>
  narrowPage({
    title: 'Forgot your password?',
    content: html`<p>A mail brings you a link with which you choose a new one.</p>
<form method="post" action="/sign-in/forgotten">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="320">
<button>Send the link</button>
</form>`,
  })

export const forgottenSentPage = (): Reply<string> =>
  narrowPage({
    title: 'Look into your mail',
    content: html`<p>If somebody here has this address, a mail with a link is on its way. The link is good once, for an hour; three are sent in an hour at most.</p>
<p><a href="/sign-in">Back to the sign-in</a></p>`,
  })

export const goneLinkPage = (): Reply<string> =>
  narrowPage({
    title: 'This link is over',
    status: 404,
    content: html`<p>It was used already, is too old, or a newer one was made.</p>
<p class="quiet">Whoever runs this installation makes a new one with <code>watchpost member sign-in-link --email …</code></p>
<p><a href="/sign-in">To the sign-in</a></p>`,
  })

type LinkForm = { token: string; asksAddress: boolean; email: string; problem?: string | undefined }

export const linkPage = ({ token, asksAddress, email, problem }: LinkForm): Reply<string> =>
  narrowPage({
    title: asksAddress ? 'Welcome to Watchpost' : 'Choose a password',
    ...(problem === undefined ? {} : { status: 400 }),
    content: html`${wrong(problem)}<p>${asksAddress ? say('You are the owner of this installation. Say who you are, and choose a password to sign in with from now on.') : say('For {0}. All browsers that are signed in as you are signed out.', email)}</p>
<form method="post" action="/sign-in/first/${token}">
${
  asksAddress
    ? html`<label for="name">Your name</label><input id="name" name="name" autocomplete="name" maxlength="200">
<label for="email">Your e-mail</label><input id="email" name="email" type="email" autocomplete="username" required maxlength="320" value="${email}">`
    : html`<input type="hidden" name="username" autocomplete="username" value="${email}">`
}
${newPasswordField()}
<button>Set the password and sign in</button>
</form>`,
  })
