/* Comfort for a page that is complete without it: the visitor's time zone, arrow keys along the bars, news as they come. */
;(() => {
  const $ = (selector) => document.querySelector(selector)
  const all = (selector) => document.querySelectorAll(selector)
  let utc = false
  const { lang, dir } = document.documentElement
  const zones = () => {
    const form = new Intl.DateTimeFormat(navigator.language.startsWith(lang) ? navigator.language : lang, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      calendar: 'gregory',
      timeZoneName: 'short',
      timeZone: utc ? 'UTC' : undefined,
    })
    for (const time of all('time')) time.textContent = form.format(new Date(time.dateTime))
    const { dataset } = $('#m')
    for (const button of all('[data-zone]')) {
      button.hidden = false
      button.textContent = utc ? dataset.local : dataset.utc
    }
  }
  const ready = () => {
    zones()
    for (const bars of all('.bars[role]')) bars.tabIndex = 0
  }
  document.addEventListener('click', ({ target }) => {
    if (target.closest('[data-zone]')) {
      utc = !utc
      zones()
    }
    const bar = target.closest('.bars a')
    if (bar) $('.days').open = true
  })
  document.addEventListener('keydown', (event) => {
    const bars = event.target.closest('.bars')
    if (!bars) return
    const links = [...bars.children].filter((link) => link.offsetWidth)
    const at = links.indexOf(event.target)
    const [earlier, later] = dir === 'rtl' ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight']
    const to = {
      [earlier]: at < 0 ? links.length - 1 : at - 1,
      [later]: at + 1,
      Home: 0,
      End: links.length - 1,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    links[Math.max(0, Math.min(links.length - 1, to))].focus()
  })
  const open = location.hash.match(/^#d\d/) && $('.days')
  if (open) open.open = true
  ready()
  const live = $('#m').dataset.live
  if (!live) return
  let busy = false
  const refresh = async () => {
    if (busy || document.hidden) return
    busy = true
    try {
      const answer = await fetch(location.pathname, { headers: { accept: 'text/html' } })
      if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), 'text/html'))
    } catch {
      /* The next minute tries again. */
    }
    busy = false
  }
  const swap = (news) => {
    // Nothing is taken away from somebody who is typing or on the way through the bars.
    if ($('#m').contains(document.activeElement) || !news.querySelector('.now')) return
    const isOpen = $('.days')?.open
    const [now, then] = [$('.now h1'), news.querySelector('.now h1')]
    const changed = now.textContent !== then.textContent
    const heading = now
    $('#m').replaceChildren(...news.querySelector('#m').childNodes)
    // The same element goes on living, so that its new words are read out, and only they.
    $('.now h1').replaceWith(heading)
    if (changed) heading.textContent = then.textContent
    document.title = news.title
    if (isOpen && $('.days')) $('.days').open = true
    ready()
  }
  const events = new EventSource(live)
  events.addEventListener('change', refresh)
  document.addEventListener('visibilitychange', refresh)
  setInterval(() => events.readyState === 1 || refresh(), 60000)
})()
