/** A browser that died: of its run's own memory, which is a failure, or of something else, so that the run could not run. */
import t from 'tap'
import { holdToBrowser } from '../../../agent/browser/browser-death.ts'

const megabyte = 1024 * 1024
const maxMemoryMb = 2048
const threeQuartersMb = 1536

const judge = (peakBytes: number, browserDeath: string | null = 'Chromium was ended by SIGKILL'): void =>
  holdToBrowser({ seen: { browserDeath }, use: { peakBytes } }, { maxMemoryMb, why: 'The script failed' })

t.test('up to three quarters of the memory of its run it died of something else', async (t) => {
  for (const peakBytes of [0, threeQuartersMb * megabyte - 1, threeQuartersMb * megabyte])
    t.throws(() => judge(peakBytes), {
      message: new RegExp(
        `^Chromium was ended by SIGKILL when its run used ${Math.round(peakBytes / megabyte)} MB of the 2048 MB .*: The script failed$`,
      ),
    })
})

t.test('with more of it, its run had used it up; and one that lives has no part in it', async (t) => {
  t.doesNotThrow(() => judge(threeQuartersMb * megabyte + 1))
  t.doesNotThrow(() => judge(0, null))
})
