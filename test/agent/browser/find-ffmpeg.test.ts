import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findFfmpeg } from '../../../agent/browser/find-ffmpeg.ts'

t.test("the system's comes before the newest of Playwright", async (t) => {
  const folder = realpathSync(t.testdir())
  t.equal(findFfmpeg(folder, []), null)
  t.equal(findFfmpeg(join(folder, 'none'), []), null)
  for (const revision of ['999', '1011']) {
    mkdirSync(join(folder, `ffmpeg-${revision}`))
    writeFileSync(join(folder, `ffmpeg-${revision}`, 'ffmpeg-linux'), '')
  }
  t.equal(findFfmpeg(folder, []), join(folder, 'ffmpeg-1011/ffmpeg-linux'))
  const own = join(folder, 'own')
  writeFileSync(own, '')
  t.equal(findFfmpeg(folder, [join(folder, 'none'), own]), own)
})
