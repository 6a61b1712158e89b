import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

const ofSystem = ['/usr/bin/ffmpeg', '/usr/local/bin/ffmpeg']

/** What records pages: the system's, or Playwright's own. Null: none, and so no videos. */
export const findFfmpeg = (browsersFolder: string, system: readonly string[] = ofSystem): string | null => {
  const found = [...system, ...ofPlaywright(browsersFolder)].find(existsSync)
  return found === undefined ? null : realpathSync(found)
}

const ofPlaywright = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.startsWith('ffmpeg-'))
        .toSorted((a, b) => Number(b.split('-')[1]) - Number(a.split('-')[1]))
        .map((name) => join(folder, name, 'ffmpeg-linux'))
    : []
