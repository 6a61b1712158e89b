import { assetOf } from './assets.ts'

/** An island: times of a page in the reader's zone. */
export const localTimes = assetOf(new URL('local-times.js', import.meta.url))
