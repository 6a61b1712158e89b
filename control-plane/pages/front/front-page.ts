/** The first page: what this is, whether it is well, where to go on. Pure. */
import { type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { ago } from '../../platform/web/html/words.ts'
import type { AccountFacts, FrontFacts, State } from './read-front.ts'

export const frontPage = (facts: FrontFacts): Html => {
  const { account, version } = facts
  return html`<header class="card hero ${facts.late.length === 0 ? 'passing' : 'degraded'}">
<h1>Watchpost</h1>
<p>Synthetic monitoring that you run yourself: checks of websites, APIs, servers and browsers, from your own locations, with alerts and status pages.</p>
${health(facts)}
</header>
${account === null ? signIn : signedIn(account, facts)}
<nav class="card" aria-label="Where to go on"><h2>Where to go on</h2><ul class="plain">
<li><a href="/docs">The API, operation by operation</a>, with examples to copy</li>
<li><a href="/openapi.json">The same as a machine reads it</a> (OpenAPI 3.1)</li>
<li><a href="/-/readiness">Readiness</a> and <a href="/metrics">metrics</a> of this control plane</li>
</ul></nav>
<footer><p>Watchpost ${version}</p></footer>`
}

const health = ({ late }: FrontFacts): Html =>
  late.length === 0
    ? html`<p class="status"><span class="pill"><span aria-hidden="true">✓</span> Well</span> <span class="quiet">The control plane is ready, and its background work is on time.</span></p>`
    : html`<p class="status"><span class="pill"><span aria-hidden="true">!</span> Late</span> <span class="quiet">${count(late.length, { one: '# loop', other: '# loops' })} of its background work ${late.length === 1 ? say('stands') : say('stand')} still: ${late.join(', ')}. The log says why.</span></p>`

const signIn = html`<section class="card"><h2>Your checks</h2><p>Results are for people of the account.</p><p><a class="action" href="/sign-in">Sign in</a></p></section>`

const words: Record<State, { word: string; sign: string; tone: string }> = {
  passing: { word: 'Passing', sign: '✓', tone: 'passing' },
  degraded: { word: 'Degraded', sign: '!', tone: 'degraded' },
  failing: { word: 'Failing', sign: '✕', tone: 'failing' },
  stale: { word: 'Stale', sign: '⧖', tone: 'neutral' },
  unknown: { word: 'Not known', sign: '?', tone: 'neutral' },
}

const signedIn = ({ agents, checks, latest }: AccountFacts, { now }: FrontFacts): Html => {
  const { failing, degraded, passing, stale, unknown } = checks
  const sum = failing + degraded + passing + stale + unknown
  return html`<section class="card"><h2>Your checks</h2>
<p>${sum === 0 ? say('No check has been run yet.') : say('{0} failing, {1} degraded, {2} passing{3}.', failing, degraded, passing, [stale === 0 ? '' : say(', {0} stale', stale), unknown === 0 ? '' : say(', {0} not known', unknown)])} ${agents === 0 ? say('No agent is connected: nothing can be run.') : say('{0} connected.', count(agents, { one: '# agent', other: '# agents' }))}</p>
${latest.length === 0 ? null : html`<h3>What was run last</h3><ul class="attempts">${latest.map((run) => latestItem(run, now))}</ul>`}
<p><a class="action" href="/app">To the dashboard</a></p></section>`
}

const latestItem = ({ name, state, at, url }: AccountFacts['latest'][number], now: number): Html => {
  const { word, sign, tone } = words[state]
  return html`<li class="${tone}"><span class="sign" aria-hidden="true">${sign}</span><div><p><a href="${url}">${name}</a> <span class="quiet">${word}</span></p><p class="quiet">${utc(at)}, ${ago(at, now)}</p></div></li>`
}
