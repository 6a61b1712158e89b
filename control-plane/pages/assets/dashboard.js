/* Pages are whole without this: it keeps them fresh, shows times in the reader's zone and saves some clicks. */
;(() => {
  const main = document.querySelector('main')

  const localTimes = (root) => {
    for (const each of root.querySelectorAll('time[datetime]:not([title])')) {
      const at = new Date(each.dateTime)
      if (Number.isNaN(at.getTime())) continue
      const { short } = each.dataset
      each.title = short === undefined ? each.textContent : `${each.textContent} UTC`
      const clock = { hour: '2-digit', minute: '2-digit' }
      if (at.toDateString() !== new Date().toDateString())
        Object.assign(clock, { day: 'numeric', month: 'short' })
      if (short === 's') clock.second = '2-digit'
      each.textContent = at.toLocaleString(
        [],
        short === undefined ? { dateStyle: 'medium', timeStyle: 'long' } : clock,
      )
    }
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    for (const each of root.querySelectorAll('[data-zone]')) each.textContent = timeZone
    for (const bar of root.querySelectorAll('li[title]:has(time)')) bar.title = bar.textContent
  }

  /* Parts with an id and `data-part` are put in place of those that are there, unless somebody is at work in them. */
  const swap = (fresh) => {
    for (const part of fresh.querySelectorAll('[data-part][id]')) {
      const old = document.getElementById(part.id)
      if (!old || old.contains(document.activeElement) || old.querySelector(':checked:not(option)')) continue
      const open = [...old.querySelectorAll('details')].map((each) => each.open)
      localTimes(part)
      if (old.outerHTML === part.outerHTML) continue
      old.replaceWith(part)
      part.querySelectorAll('details').forEach((each, position) => {
        if (open[position]) each.open = true
      })
    }
  }

  let fetching = false
  let again = false
  const refresh = async () => {
    if (document.hidden) return
    if (fetching) {
      again = true
      return
    }
    fetching = true
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' })
      if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), 'text/html'))
    } catch {
      /* The next event, or the next minute, tries again. */
    }
    setTimeout(() => {
      fetching = false
      if (again) {
        again = false
        refresh()
      }
    }, 2000)
  }

  const live = main?.dataset.live
  if (live) {
    const watched = main.querySelector('[data-ids]')?.dataset.ids.split(' ')
    const source = new EventSource(live)
    /* What came before the stream was there, or while it was not. */
    let opened = false
    source.addEventListener('open', () => {
      if (opened || main.querySelector('#results .empty')) refresh()
      opened = true
    })
    source.addEventListener('results', ({ data }) => {
      if (!watched || data === '*' || data.split(' ').some((id) => watched.includes(id))) refresh()
    })
    document.addEventListener('visibilitychange', refresh)
    setInterval(refresh, 60000)
  }

  for (const box of document.querySelectorAll('input[data-all]'))
    box.addEventListener('change', () => {
      for (const each of document.querySelectorAll(`input[name="${box.dataset.all}"]`))
        each.checked = box.checked
    })
  for (const box of document.querySelectorAll('[data-all]'))
    box.closest('[hidden]')?.removeAttribute('hidden')

  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return
    const search = document.querySelector('input[type=search]')
    if (!search) return
    event.preventDefault()
    search.focus()
    search.select()
  })

  /* A chart is read by pointer and by arrow keys: the bars beneath it have the words. */
  const pick = (chart, at) => {
    const bars = chart.querySelectorAll('.days li')
    const position = Math.max(0, Math.min(bars.length - 1, at))
    chart.dataset.at = position
    chart.querySelector('.readout').textContent = bars[position].textContent
    for (const end of ['x1', 'x2']) chart.querySelector('.cursor').setAttribute(end, position + 0.5)
  }
  document.addEventListener('pointermove', ({ target, clientX }) => {
    const chart = target.closest?.('[data-chart]')
    if (!chart) return
    const { left, width } = chart.querySelector('.chart').getBoundingClientRect()
    pick(chart, Math.floor(((clientX - left) / width) * chart.querySelectorAll('.days li').length))
  })
  document.addEventListener('keydown', (event) => {
    const chart = event.target.closest?.('[data-chart]')
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key]
    if (!chart || step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    pick(chart, Number(chart.dataset.at ?? (step < 0 ? Infinity : -1)) + step)
  })

  localTimes(document)
})()
