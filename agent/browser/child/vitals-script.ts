/** Runs in every page: measures its web vitals by the browser's own observers and tells them by a binding of Playwright. */
export const reportBinding = '__watchpostVitals'

export const vitalsScript = `(() => {
  if (window !== window.top || !/^https?:$/.test(location.protocol)) return
  const values = {}
  const id = performance.timeOrigin + ' ' + location.href
  const setLater = window.setTimeout.bind(window)
  let waiting = false
  const tell = () => {
    waiting = false
    window.${reportBinding}?.({ id, url: location.href, values })
  }
  const tellSoon = () => {
    if (waiting) return
    waiting = true
    setLater(tell, 100)
  }
  const observe = (type, act) => {
    try {
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) act(entry) }).observe({ type, buffered: true })
    } catch {
      // A browser that does not know this kind of entry has no such number.
    }
  }
  // Told before anything else can happen to the page.
  const [first] = performance.getEntriesByType('navigation')
  if (first?.responseStart > 0) values.TTFB = first.responseStart
  tell()
  let shift = { value: 0, first: 0, last: 0 }
  observe('navigation', ({ responseStart }) => { values.TTFB = Math.max(0, responseStart); tell() })
  observe('paint', ({ name, startTime }) => {
    if (name !== 'first-contentful-paint') return
    values.FCP = startTime
    tell()
  })
  observe('largest-contentful-paint', ({ startTime }) => { values.LCP = startTime; tell() })
  observe('layout-shift', ({ hadRecentInput, startTime, value }) => {
    if (hadRecentInput) return
    const goesOn = startTime - shift.last < 1000 && startTime - shift.first < 5000
    shift = goesOn ? { ...shift, value: shift.value + value, last: startTime } : { value, first: startTime, last: startTime }
    values.CLS = Math.max(values.CLS ?? 0, shift.value)
    tellSoon()
  })
  observe('longtask', ({ duration }) => {
    values.TBT = (values.TBT ?? 0) + Math.max(0, duration - 50)
    tellSoon()
  })
  addEventListener('load', () => {
    values.CLS ??= 0
    values.TBT ??= 0
    const [entry] = performance.getEntriesByType('navigation')
    if (entry) values.TTFB = Math.max(0, entry.responseStart)
    tell()
  })
})()`
