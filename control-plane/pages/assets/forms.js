/* Forms are whole without this: every button here sends the form. With it, only the part that changes is put in place. */
;(() => {
  const form = document.querySelector('form[data-form]')
  if (!form) return

  const bodyOf = (act) => {
    const body = new URLSearchParams(new FormData(form))
    body.set('_do', act)
    return body
  }
  const send = (body) =>
    fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' }, redirect: 'error' })
  const read = async (answer) => new DOMParser().parseFromString(await answer.text(), 'text/html')
  const ask = async (act) => read(await send(bodyOf(act)))

  /* Sentences about the form as it is now. */
  const tell = (fresh) => {
    for (const each of form.querySelectorAll('[data-look]')) {
      const now = fresh.getElementById(each.id)
      if (!now || now.outerHTML === each.outerHTML) continue
      each.replaceChildren(...now.childNodes)
      each.dataset.line = now.dataset.line ?? ''
    }
  }

  /* One at a time, and the last one wins. */
  let asking = Promise.resolve()
  const inTurn = (work) => {
    asking = asking.then(work, work)
    return asking
  }

  /* Whoever writes in what is put in place goes on writing. */
  const put = (fresh, id) => {
    const part = fresh.getElementById(id)
    const old = document.getElementById(id)
    if (!part || !old) return null
    const { id: at, selectionStart } = document.activeElement
    const isWithin = old.contains(document.activeElement)
    old.replaceWith(part)
    tell(fresh)
    const again = isWithin && at ? document.getElementById(at) : null
    again?.focus()
    if (again && selectionStart !== null) again.setSelectionRange?.(selectionStart, selectionStart)
    part.dispatchEvent(new CustomEvent('swapped', { bubbles: true }))
    return part
  }

  /* Lists are searched while somebody writes; Enter sends nothing there. */
  let finding = 0
  const find = (input) => {
    inTurn(async () => {
      const { value } = input
      put(await ask(input.name.replace('find.', 'find:')), input.dataset.find)
      const shown = document.getElementById(input.id)?.previousElementSibling
      if (shown) shown.value = value
    }).catch(() => {})
  }
  form.addEventListener('input', ({ target }) => {
    if (!target.matches('[data-find]')) return
    clearTimeout(finding)
    finding = setTimeout(find, 250, target)
  })
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !event.target.matches('[data-find]')) return
    event.preventDefault()
    clearTimeout(finding)
    find(event.target)
  })

  form.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-swap]')
    if (!button) return
    event.preventDefault()
    const { swap } = button.dataset
    const act = button.value
    inTurn(async () => {
      button.disabled = true
      button.setAttribute('aria-busy', 'true')
      try {
        const part = put(await ask(act), swap)
        if (!part) return form.requestSubmit(button)
        const rows = part.querySelectorAll(':scope > .row')
        const last = rows[rows.length - 1]
        const next = act.startsWith('add:')
          ? last?.querySelector('input:not([type=hidden]),select,textarea')
          : (part.querySelector('[data-focus]') ?? [...part.querySelectorAll('button')].at(-1))
        next?.focus()
      } catch {
        button.removeAttribute('data-swap')
        button.disabled = false
        button.click()
      } finally {
        button.disabled = false
        button.removeAttribute('aria-busy')
      }
    })
  })

  /*
   * What was typed outlives a session that has ended meanwhile: before the form is sent it is asked whether there is one. Kept in this tab
   * only, for an hour, and without what may be secret: passwords, and the values of headers and variables.
   */
  const key = `form ${location.pathname}`
  const isSecret = (name) =>
    /password|secret|token|passphrase|privatekey|apikey/i.test(name) ||
    /(headers|ariables)\.\d+\.value$/.test(name)
  const leave = () => {
    const entries = [...new FormData(form)].filter(([name]) => !isSecret(name))
    sessionStorage.setItem(key, JSON.stringify({ at: Date.now(), entries }))
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
  }
  form.addEventListener('submit', async (event) => {
    if (event.defaultPrevented || form.dataset.sent) return
    event.preventDefault()
    const { submitter } = event
    let isSignedIn = true
    try {
      const answer = await send(bodyOf('look'))
      isSignedIn = answer.status !== 401
    } catch {
      /* Whoever cannot be asked is sent the form all the same. */
    }
    if (!isSignedIn) return leave()
    form.dataset.sent = 'yes'
    form.requestSubmit(submitter)
  })
  addEventListener('pageshow', () => delete form.dataset.sent)

  const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null')
  sessionStorage.removeItem(key)
  if (kept && Date.now() - kept.at < 3600000)
    inTurn(async () => {
      const body = new URLSearchParams(kept.entries)
      /* What was not kept is what is stored, in a row that is still of the same name. */
      for (const [name, value] of new FormData(form)) {
        const of = name.replace(/value$/, 'key')
        if (body.has(name) || !isSecret(name) || body.get(of) !== form.elements[of]?.value) continue
        body.append(name, value)
      }
      body.set('_do', 'look')
      const fresh = (await read(await send(body))).querySelector('form[data-form]')
      if (!fresh) return
      form.replaceChildren(...fresh.childNodes)
      form.dispatchEvent(new CustomEvent('swapped', { bubbles: true }))
    }).catch(() => {})

  let waiting = 0
  const lookIn = (ms) => {
    clearTimeout(waiting)
    waiting = setTimeout(() => inTurn(async () => tell(await ask('look'))).catch(() => {}), ms)
  }
  form.addEventListener('change', ({ target }) => {
    if (target.closest('details, .editor')) lookIn(150)
  })
  form.addEventListener('input', ({ target }) => {
    if (target.closest('.editor')) lookIn(900)
  })
})()
