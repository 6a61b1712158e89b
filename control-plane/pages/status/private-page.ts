/** What visitors of a private page see first, and what follows a form: pages that say one thing. */
import { html } from '../../platform/web/html/html.ts'
import { type Document, framed, homeOf, type Site } from './frame.ts'
import type { PageBranding, PageModel } from './model.ts'

/** Says nothing of the page but its name and its branding, which it was given to be recognised by. */
export const privatePage = (branding: PageBranding, site: Site, problem: 'wrong' | null): Document => {
  const { words, prefix } = site
  const main = html`<section class="card gate" id="services"><h1>${words.privatePage}</h1><p class="quiet">${words.privateText}</p>${problem === null ? null : html`<p class="note" role="alert">${words.wrongPassword}</p>`}
<form method="post" action="${prefix}/open"><label>${words.password}<input name="password" type="password" autocomplete="current-password" required maxlength="200"></label><button>${words.open}</button></form></section>`
  return framed({
    site,
    branding: { ...branding, description: null },
    isPrivate: true,
    title: branding.name,
    main,
  })
}

export const subscribedPage = ({ branding, isPrivate }: PageModel, site: Site): Document => {
  const { words } = site
  const main = html`<section class="card gate" id="services"><h1>${words.subscribed}</h1><p>${words.subscribedText}</p><p class="more"><a href="${homeOf(site)}">${words.back}</a></p></section>`
  return framed({ site, branding, isPrivate, title: `${words.subscribed} · ${branding.name}`, main })
}
