/** The page on which people sign in. */
import { documentOf, policyOf } from '../../platform/html/document.ts'
import { formStyle } from '../../platform/html/form-style.ts'
import { type Content, html } from '../../platform/html/html.ts'
import { style } from '../../platform/html/style.ts'
import { type Reply, reply } from '../../platform/http/route.ts'

const styles = [style, formStyle]

type NarrowPage = { title: string; content: Content; status?: number; headers?: Record<string, string> }

/** A page that asks for one thing. */
export const narrowPage = ({ title, content, status, headers }: NarrowPage): Reply<string> =>
  reply(
    documentOf({
      title: `${title} · Watchpost`,
      styles,
      body: html`<main class="narrow"><section class="card"><h1>${title}</h1>${content}</section></main>`,
    }),
    {
      ...(status === undefined ? {} : { status }),
      headers: {
        'cache-control': 'private, no-store',
        'content-security-policy': policyOf({ styles, hasForm: true }),
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        ...headers,
      },
    },
  )

type SignIn = { next: string; problem?: string; status?: number }

export const signInPage = ({ next, problem, status }: SignIn): Reply<string> =>
  narrowPage({
    title: 'Sign in',
    ...(status === undefined ? {} : { status }),
    content: html`${problem === undefined ? null : html`<p class="wrong" role="alert">${problem}</p>`}
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
<label for="key">API key<span class="hint">The one of a first start is in <code>bootstrap.json</code> of the data folder.</span></label>
<input id="key" name="key" type="password" autocomplete="off" required maxlength="200">
<button>Sign in</button>
</form>`,
  })
