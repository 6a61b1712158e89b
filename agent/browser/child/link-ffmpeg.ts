import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

type Registry = { browsers: { name: string; revision: string }[] }

/** Playwright looks for it at one place only, which has the revision in its name that it was made with. */
export const linkFfmpeg = (
  program: string,
  { folder, browsers }: { folder: string; browsers: string },
): void => {
  const list = join(folder, 'node_modules/playwright-core/browsers.json')
  const { browsers: known } = JSON.parse(readFileSync(list, 'utf8')) as Registry
  const revision = known.find(({ name }) => name === 'ffmpeg')?.revision
  const ffmpegFolder = join(browsers, `ffmpeg-${revision}`)
  mkdirSync(ffmpegFolder, { recursive: true })
  symlinkSync(program, join(ffmpegFolder, 'ffmpeg-linux'))
}
