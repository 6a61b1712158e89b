/** An error as people see it in a browser: what it means, and where to go on. */
import { documentOf, policyOf } from './document.ts'
import { type Content, html } from './html.ts'
import { say } from './say.ts'
import { style } from './style.ts'

type PageError = { statusCode: number; error: string; message: string }

const styles = [style]

const sentences: { [status: number]: { title: string; text: string } } = {
  401: { title: 'Sign in first', text: 'This page is for people of the account.' },
  403: { title: 'Not yours to do', text: 'Your role does not allow it, or the form came from another site.' },
  404: { title: 'There is nothing here', text: 'The address is mistyped, or what was here is gone.' },
  405: { title: 'Not in this way', text: 'This address is for programs, or for another kind of request.' },
  429: { title: 'Too many requests', text: 'Wait a minute, then try again.' },
  500: {
    title: 'This is our fault',
    text: 'The page could not be made. The reason is in the log of the control plane.',
  },
  503: {
    title: 'Back in a moment',
    text: 'The control plane is starting, stopping, or cannot reach its store.',
  },
}

/** What is said beside the sentence: of an error of the caller the message, of ours nothing. */
const detailOf = ({ statusCode, error, message }: PageError): Content =>
  message === error || statusCode >= 500 ? null : html`<p class="quiet">${message}</p>`

/** `explanation`: what is wrong, where that is known. */
export const errorPage = (
  problem: PageError,
  explanation?: { title: string; text: string },
): { text: string; headers: Record<string, string> } => {
  const { title, text } = explanation ??
    sentences[problem.statusCode] ?? {
      title: problem.error,
      text: 'The request was not taken.',
    }
  const body = html`<main>
<section class="card notice"><h1>${say(title)}</h1><p>${say(text)}</p>${detailOf(problem)}<p class="quiet">Error ${problem.statusCode}. <a href="/">To the front page</a></p></section>
</main>`
  return {
    text: documentOf({ title: html`${say(title)} · ${problem.statusCode}`, styles, body }),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': policyOf({ styles }),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  }
}
