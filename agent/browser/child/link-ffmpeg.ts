import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Registry = { browsers: { name: string; revision: string }[] }

type Place = {
  /** Of whoever has Playwright. */
  require: NodeJS.Require
  /** Where it looks for browsers. */
  browsers: string
}

/** Playwright looks for it at one place only, which has the revision in its name that it was made with. */
export const linkFfmpeg = (program: string, { require, browsers }: Place): void => {
  const list = join(dirname(require.resolve('playwright-core/package.json')), 'browsers.json')
  const { browsers: known } = JSON.parse(readFileSync(list, 'utf8')) as Registry
  const revision = known.find(({ name }) => name === 'ffmpeg')?.revision
  const path = join(browsers, `ffmpeg-${revision}`, 'ffmpeg-linux')
  mkdirSync(dirname(path), { recursive: true })
  // A suite may run Playwright more than once.
  rmSync(path, { force: true })
  symlinkSync(program, path)
}
