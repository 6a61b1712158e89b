// The list of operations by words; without it the whole list is there, and the browser's own search.
const box = document.querySelector('[data-search]')
const items = [...document.querySelectorAll('[data-words]')]
const count = document.querySelector('[data-count]')
box.hidden = false
const input = box.querySelector('input')
const show = () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  let shown = 0
  for (const item of items) {
    const text = item.dataset.words.toLowerCase()
    const fits = words.every((word) => text.includes(word))
    item.hidden = !fits
    if (fits) shown++
  }
  for (const part of document.querySelectorAll('[data-group]'))
    part.hidden = !part.querySelector('[data-words]:not([hidden])')
  count.textContent = words.length === 0 ? '' : `${shown} of ${items.length} operations`
}
input.addEventListener('input', show)
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || document.activeElement === input) return
  event.preventDefault()
  input.focus()
})
