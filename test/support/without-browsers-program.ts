/**
 * For an agent whose test is about something else, loaded before it (`spawnAgent`): it finds no browser, as on a machine that has none. To try one
 * costs more than all else of its start.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { existsSync } = fs
fs.existsSync = (path) => !/chrom(e|ium)/.test(String(path)) && existsSync(path)
syncBuiltinESMExports()
