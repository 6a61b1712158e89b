/* Pages are whole without this: it keeps them fresh, shows times in the reader's zone and saves some clicks. */
;(() => {
  const main = document.querySelector('main')

  const localTimes = (root) => {
    for (const each of root.querySelectorAll('time[datetime]:not([title])')) {
      const at = new Date(each.dateTime)
      if (Number.isNaN(at.getTime())) continue
      each.title = each.textContent
      each.textContent = at.toLocaleString([], { dateStyle: 'medium', timeStyle: 'long' })
    }
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

  localTimes(document)
})()
