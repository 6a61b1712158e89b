/* A text field is whole without this. With it, programs have colours, numbers beside their lines, and a mark where one cannot be parsed. */
;(() => {
  /* Longer ones are in one colour. */
  const maxColoured = 60000
  const words =
    'as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|let|new|null|of|return|switch|this|throw|true|try|typeof|undefined|var|void|while|yield'
  /* Comments, texts and patterns, keywords, numbers, calls. */
  const tokens = new RegExp(
    [
      '(?<c>\\/\\/.*|\\/\\*[^]*?(?:\\*\\/|$))',
      '(?<s>\'(?:\\\\.|[^\'\\\\\\n])*\'?|"(?:\\\\.|[^"\\\\\\n])*"?|`(?:\\\\[^]|[^`\\\\])*`?|(?<=(?:^|[(,=:[!&|?{};]|return)\\s*)\\/(?:\\\\.|\\[(?:\\\\.|[^\\]\\\\\\n])*\\]|[^/\\\\[\\n])+\\/[a-z]*)',
      `(?<k>(?<![\\w$.])(?:${words})(?![\\w$]))`,
      '(?<n>(?<![\\w$])\\d[\\w.]*)',
      '(?<f>[\\w$]+(?=\\())',
    ].join('|'),
    'g',
  )

  const coloured = (text) => {
    const parts = document.createDocumentFragment()
    let done = 0
    for (const { 0: token, index, groups } of text.length > maxColoured ? [] : text.matchAll(tokens)) {
      if (index > done) parts.append(text.slice(done, index))
      const part = document.createElement('span')
      part.className = Object.keys(groups).find((name) => groups[name] !== undefined)
      part.textContent = token
      parts.append(part)
      done = index + token.length
    }
    parts.append(`${text.slice(done)}\n`)
    return parts
  }

  const dress = (area) => {
    const box = document.createElement('div')
    const numbers = document.createElement('pre')
    const code = document.createElement('pre')
    box.className = 'editor'
    numbers.className = 'nums'
    for (const each of [numbers, code]) each.setAttribute('aria-hidden', 'true')
    area.replaceWith(box)
    area.wrap = 'off'
    box.append(numbers, code, area)

    const note = document.getElementById(`${area.id}-note`)
    let shown
    const number = () => {
      const bad = Number(note?.dataset.line ?? 0)
      const lines = area.value.split('\n').map((_, at) => `${at + 1}\n`)
      const now = `${lines.length} ${bad}`
      if (shown === now) return
      shown = now
      const mark = document.createElement('b')
      if (bad > 0) mark.textContent = `✕ ${lines.splice(bad - 1, 1)}`
      const after = bad > 0 ? lines.splice(bad - 1) : []
      numbers.replaceChildren(lines.join(''), mark, after.join(''))
    }
    const follow = () => {
      code.scrollTop = numbers.scrollTop = area.scrollTop
      code.scrollLeft = area.scrollLeft
    }
    const draw = () => {
      code.replaceChildren(coloured(area.value))
      number()
      follow()
    }
    area.addEventListener('input', draw)
    area.addEventListener('scroll', follow)
    /* Tab leaves it, as it leaves all fields. A new line begins where the last one did; Ctrl+] and Ctrl+[ move lines. */
    area.addEventListener('keydown', (event) => {
      const { selectionStart: from, selectionEnd: to, value } = area
      const first = value.lastIndexOf('\n', from - 1) + 1
      const put = (text) => {
        event.preventDefault()
        document.execCommand('insertText', false, text)
      }
      if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.isComposing)
        return put(`\n${/^[ \t]*/.exec(value.slice(first, from))[0]}`)
      if (!(event.ctrlKey || event.metaKey) || (event.key !== ']' && event.key !== '[')) return
      const lines = value.slice(first, to)
      area.setSelectionRange(first, to)
      put(event.key === ']' ? lines.replace(/^/gm, '  ') : lines.replace(/^ {1,2}|^\t/gm, ''))
      area.setSelectionRange(first, area.selectionEnd)
    })
    if (note) new MutationObserver(number).observe(note, { attributes: true })
    draw()
  }

  const dressAll = (root) => {
    for (const area of root.querySelectorAll('textarea[data-editor]'))
      if (!area.closest('.editor')) dress(area)
  }
  document.addEventListener('swapped', ({ target }) => dressAll(target))
  dressAll(document)
})()
