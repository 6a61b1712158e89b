import type { App } from './app.ts'

/**
 * What a slice keeps in memory (a cache, a batch on its way) for one running control plane: made at the first use, gone
 * with its app. Two apps in one process, as in tests, share nothing.
 */
export const perApp = <T, A extends App = App>(make: (app: A) => T): ((app: A) => T) => {
  const made = new WeakMap<App, { value: T }>()
  return (app) => {
    const known = made.get(app)
    if (known) return known.value
    const value = make(app)
    made.set(app, { value })
    return value
  }
}
