/** The language of our pages for whoever is signed in: what they choose, or what their browser asks for. */
import { Type } from 'typebox'
import { setLanguage } from '../../access/credentials/queries.ts'
import type { App } from '../../platform/app/app.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { currentLocale, type HasLocales } from '../../platform/web/html/locales.ts'
import { forgetSessions } from '../../platform/web/http/auth/session.ts'
import { route } from '../../platform/web/http/route.ts'
import { seeOther } from '../sign-in/local-path.ts'
import { appRoute } from './app-page.ts'

const path = '/app/profile/language'

/** Each by its own name: whoever reads none of the others finds it. */
const nameOf = (lang: string): string => new Intl.DisplayNames(lang, { type: 'language' }).of(lang) ?? lang

export const languageSection = ({ locales }: HasLocales, chosen: string | null): Html =>
  html`<section class="card" id="language"><h2>Language</h2><p>Pages, dates and numbers are in this one; now: ${nameOf(currentLocale().lang)}.</p>
<form method="post" action="${path}"><label for="language-choice">Language of these pages</label>
<select id="language-choice" name="language"><option value="">As the browser asks</option>${locales
    .all()
    .map(
      ({ lang }) =>
        html`<option value="${lang}" lang="${lang}"${lang === chosen ? html` selected` : null}>${nameOf(lang)}</option>`,
    )}</select><button>Use it</button></form></section>`

export const chooseLanguage = route({
  ...appRoute,
  method: 'POST',
  form: true,
  status: 303,
  path,
  summary: 'Choose the language of pages',
  body: Type.Object({ language: Type.Optional(Type.String({ maxLength: 35 })) }),
  handle: async ({ principal, body: { language = '' } }, app: App & HasLocales) => {
    const { userId } = principal
    if (userId !== null)
      await app.db.run(setLanguage, { userId, language: app.locales.named(language)?.lang ?? null })
    forgetSessions(app)
    return seeOther('/app/profile')
  },
})
