/** What every page of a status page has: its head, header and footer. */

import { nameOfLanguage } from '../../communication/stored-pages/words/languages.ts'
import type { Words } from '../../communication/stored-pages/words/words.ts'
import { type Asset, icon } from '../../platform/web/html/assets.ts'
import { documentOf, policyOf } from '../../platform/web/html/document.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { statusScript } from '../assets/all.ts'
import type { PageBranding } from './model.ts'
import { style } from './style.ts'
import { themeOf } from './theme.ts'

/** Where the page is looked at, and in which language. */
export type Site = {
  /** Before every path: empty on a domain of its own. */
  prefix: string
  /** Of absolute addresses, as feeds need them: without a slash at the end. */
  root: string
  words: Words
  /** What a visitor may choose from. */
  offered?: readonly string[]
  /** How long ago it was known to be true, where the store cannot be read now. */
  staleMinutes?: number | null
  /** Of files on a foreign host: nobody answers forms and streams there. */
  isStatic?: true
}

type Framed = {
  site: Site
  branding: PageBranding
  title: string
  main: Content
  /** Kept up to date by the script. */
  isLive?: boolean
  isPrivate: boolean
}

export type Document = { text: string; policy: string }

export const homeOf = ({ prefix }: Site): string => (prefix === '' ? '/' : prefix)

/** Programs that read feeds ask for no language: they get the one that the visitor reads. */
export const inItsLanguage = ({ words, offered = [], isStatic }: Site): string =>
  offered.length < 2 || isStatic ? '' : `?lang=${words.lang}`

export const feedPath = (site: Site, name: string): string => `${site.prefix}/${name}${inItsLanguage(site)}`

const originOf = (address: string | null): string[] => {
  const url = address === null ? null : URL.parse(address)
  return url === null ? [] : [url.origin]
}

export const framed = ({ site, branding, title, main, isLive = false, isPrivate }: Framed): Document => {
  const styles = [html`${themeOf(branding)}${style}`]
  const scripts = [{ ...statusScript, path: assetPath(site, statusScript) }]
  const { words } = site
  const live = html` data-live="${site.prefix}/events"`
  const body = html`${symbols}<a class="skip" href="#services">${words.skip}</a>
${header({ site, branding })}
<main id="m" class="in" data-utc="${words.utc}" data-local="${words.local}"${isLive && !site.isStatic ? live : null}>
${ageOf(site)}${main}
</main>
${footer(branding, site)}`
  const pictures = [branding.favicon, branding.logo, branding.logoDark].flatMap(originOf)
  return {
    text: documentOf({
      lang: words.lang,
      title,
      styles,
      scripts,
      icon: branding.favicon ?? assetPath(site, icon),
      head: headOf({ site, branding }),
      body,
      isListed: !isPrivate && branding.allowIndexing,
    }),
    policy: policyOf({
      styles,
      scripts,
      hasForm: true,
      hasMedia: true,
      pictures: [...new Set(pictures)],
      connects: true,
    }),
  }
}

const ageOf = ({ words, staleMinutes = null }: Site): Content =>
  staleMinutes === null
    ? null
    : html`<p class="note" role="status">${words.stale.replace('{minutes}', String(staleMinutes))}</p>
`

/** Files of an exported page lie beside it. */
const assetPath = ({ prefix, isStatic }: Site, { path }: Asset): string =>
  isStatic ? `${prefix}${path}` : path

const headOf = ({ site, branding }: Pick<Framed, 'site' | 'branding'>): Html =>
  html`<link rel="alternate" type="application/atom+xml" title="${branding.name}" href="${feedPath(site, 'feed.atom')}">
<link rel="alternate" type="application/rss+xml" title="${branding.name}" href="${feedPath(site, 'feed.rss')}">
<link rel="alternate" type="application/feed+json" title="${branding.name}" href="${feedPath(site, 'feed.json')}">
`

const header = ({ site, branding }: Pick<Framed, 'site' | 'branding'>): Html => {
  const { words } = site
  const home = homeOf(site)
  return html`<header><div class="in"><a class="brand" href="${branding.redirectTo ?? home}" dir="auto">${brand(branding)}</a>
<nav aria-label="${branding.name}"><a href="${home}">${words.back}</a><a href="${site.prefix}/history">${words.pastIncidents}</a>${site.isStatic ? null : html`<a href="${home}#subscribe">${words.subscribe}</a>`}</nav></div></header>`
}

const brand = ({ logo, logoDark, name, defaultTheme }: PageBranding): Content => {
  if (logo === null && logoDark === null) return name
  const shown = defaultTheme === 'DARK' ? (logoDark ?? logo) : (logo ?? logoDark)
  const other = defaultTheme === 'AUTO' && logo !== null && logoDark !== null
  return html`<picture>${other ? html`<source srcset="${logoDark ?? ''}" media="(prefers-color-scheme:dark)">` : null}<img src="${shown ?? ''}" alt="${name}" referrerpolicy="no-referrer"></picture>`
}

/** Choosing needs no script; what was chosen is kept in a cookie of the page. */
const languageForm = ({ words, offered = [], isStatic }: Site): Html | null =>
  offered.length < 2 || isStatic
    ? null
    : html`<form class="lang" method="get"><label for="lang" class="v">${words.language}</label><select id="lang" name="lang">${offered.map(
        (lang) =>
          html`<option value="${lang}" lang="${lang}"${lang === words.lang ? html` selected` : null}>${nameOfLanguage(lang)}</option>`,
      )}</select><button class="plain">${words.language}</button></form>`

const footer = (
  { whiteLabel, footerText, privacyPolicyLink, termsOfServiceLink, supportLink }: PageBranding,
  site: Site,
): Html =>
  html`<footer>${footerText === null ? null : html`<div class="in"><p class="prose" dir="auto">${footerText}</p></div>`}<div class="in">${linkTo(supportLink, site.words.support)}${linkTo(privacyPolicyLink, site.words.privacy)}${linkTo(termsOfServiceLink, site.words.terms)}${languageForm(site) ?? html`<span></span>`}${whiteLabel ? null : html`<span>${site.words.poweredBy} Watchpost</span>`}</div></footer>`

const linkTo = (address: string | null, word: string): Content =>
  address === null ? null : html`<a href="${address}" rel="noopener">${word}</a>`

/** A shape for each state, so that it is told without its colour. */
export const symbols = html`<svg width="0" height="0" aria-hidden="true" focusable="false" class="v"><symbol id="s-unknown" viewBox="0 0 24 24"><path fill-rule="evenodd" d="M12 1a11 11 0 1 0 0 22 11 11 0 0 0 0-22Zm0 2.4a8.6 8.6 0 1 1 0 17.2 8.6 8.6 0 0 1 0-17.2ZM6.5 10.8h11v2.4h-11v-2.4Z"/></symbol><symbol id="s-operational" viewBox="0 0 24 24"><path fill-rule="evenodd" d="M12 1a11 11 0 1 0 0 22 11 11 0 0 0 0-22Zm5.7 8.3-7 7-4.4-4.4 1.7-1.7 2.7 2.7 5.3-5.3 1.7 1.7Z"/></symbol><symbol id="s-maintenance" viewBox="0 0 24 24"><path fill-rule="evenodd" d="M5 1h14a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H5a4 4 0 0 1-4-4V5a4 4 0 0 1 4-4Zm2 6v2.4h10V7H7Zm0 4.3v2.4h10v-2.4H7Zm0 4.3V18h6v-2.4H7Z"/></symbol><symbol id="s-degraded" viewBox="0 0 24 24"><path fill-rule="evenodd" d="M13.8 2.2a2.1 2.1 0 0 0-3.6 0L.8 18.6a2.1 2.1 0 0 0 1.8 3.2h18.8a2.1 2.1 0 0 0 1.8-3.2L13.8 2.2ZM10.8 8h2.4v6.6h-2.4V8Zm0 8.4h2.4v2.4h-2.4v-2.4Z"/></symbol><symbol id="s-partial" viewBox="0 0 24 24"><path fill-rule="evenodd" d="M12 1 1 12l11 11 11-11L12 1Zm-1.2 5.8h2.4v6.4h-2.4V6.8Zm0 8h2.4v2.4h-2.4v-2.4Z"/></symbol><symbol id="s-major" viewBox="0 0 24 24"><path fill-rule="evenodd" d="M7.4 1h9.2L23 7.4v9.2L16.6 23H7.4L1 16.6V7.4L7.4 1Zm.6 8.7 2.3 2.3L8 14.3 9.7 16l2.3-2.3 2.3 2.3 1.7-1.7-2.3-2.3L16 9.7 14.3 8 12 10.3 9.7 8 8 9.7Z"/></symbol></svg>`

export const symbolOf = (state: string): Html =>
  html`<svg class="i t-${state}" aria-hidden="true"><use href="#s-${state}"/></svg>`
