/* Forms are whole without this: every button here sends the form. With it, only the part that changes is put in place. */
;(() => {
  const form = document.querySelector('form[data-form]')
  if (!form) return

  const ask = async (button) => {
    const body = new URLSearchParams(new FormData(form))
    body.set('_do', button)
    const answer = await fetch(form.action, {
      method: 'POST',
      body,
      headers: { accept: 'text/html' },
      redirect: 'error',
    })
    return new DOMParser().parseFromString(await answer.text(), 'text/html')
  }

  /* Sentences about the form as it is now. */
  const tell = (fresh) => {
    for (const each of form.querySelectorAll('[data-look]')) {
      const now = fresh.getElementById(each.id)
      if (now && now.textContent !== each.textContent) each.textContent = now.textContent
    }
  }

  /* One at a time, and the last one wins. */
  let asking = Promise.resolve()
  const inTurn = (work) => {
    asking = asking.then(work, work)
    return asking
  }

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
        const fresh = await ask(act)
        const part = fresh.getElementById(swap)
        const old = document.getElementById(swap)
        if (!part || !old) return form.requestSubmit(button)
        old.replaceWith(part)
        tell(fresh)
        const rows = part.querySelectorAll(':scope > .row')
        const last = rows[rows.length - 1]
        const next = act.startsWith('add:')
          ? last?.querySelector('input:not([type=hidden]),select,textarea')
          : (part.querySelector('[data-focus]') ?? [...part.querySelectorAll('button')].at(-1))
        next?.focus()
        part.dispatchEvent(new CustomEvent('swapped', { bubbles: true }))
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

  let waiting = 0
  form.addEventListener('change', (event) => {
    if (!event.target.closest('details')) return
    clearTimeout(waiting)
    waiting = setTimeout(() => inTurn(async () => tell(await ask('look'))).catch(() => {}), 150)
  })
})()
