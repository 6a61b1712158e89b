/**
 * Pages for people: what links in messages lead to. One small document each, complete without scripts, nothing loaded from elsewhere;
 * readable at 360 px, in the dark and on paper.
 */
import { type Reply, reply } from '../http/route.ts'
import type { Asset } from './assets.ts'
import { documentOf, policyOf } from './document.ts'
import { type Content, type Html, html } from './html.ts'
import { ours } from './say.ts'
import { style } from './style.ts'

/** What the page is coloured by; null: by nothing. */
export type Tone = 'failing' | 'degraded' | 'passing' | 'neutral'

type Page = {
  /** Of words that are in their language already; without it they are ours, in the language of the request. */
  lang?: string
  title: Content
  content: Html
  status?: number
  /** Whether it has a form, which may then be sent to where the page came from. */
  hasForm?: boolean
  /** Whether it shows pictures and videos of ours. */
  hasMedia?: boolean
  /** Islands: what makes it more comfortable. */
  scripts?: readonly Asset[]
}

const styles = [style]

/** What is read from top to bottom. */
const column = (content: Html): Html => html`<main>
${content}
</main>`

export const page = (made: Page): Reply<string> =>
  reply(
    documentOf({
      ...(made.lang === undefined ? {} : { lang: made.lang }),
      title: made.title,
      styles,
      scripts: made.scripts ?? [],
      body: column(made.content),
    }),
    {
      ...(made.status === undefined ? {} : { status: made.status }),
      headers: {
        'cache-control': 'private, no-store',
        'content-security-policy': policyOf({ styles, ...made }),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
      },
    },
  )

/** Whether whoever asks shows pages: a browser says so, a program gets the error as JSON. */
export const wantsPage = ({ accept }: Readonly<Record<string, string | undefined>>): boolean =>
  accept?.includes('text/html') ?? false

type Notice = { lang?: string; title: Content; text: Content; status?: number; form?: Html }

const textsOf = (text: Content): readonly Content[] => (Array.isArray(text) ? text : [text])

/** A page that says one thing. */
export const notice = ({ title, text, form, ...more }: Notice): Reply<string> =>
  page({
    ...more,
    title: ours(title),
    hasForm: form !== undefined,
    content: html`<section class="card notice"><h1>${ours(title)}</h1>${textsOf(text).map((each) => html`<p>${ours(each)}</p>`)}${form ?? null}</section>`,
  })
