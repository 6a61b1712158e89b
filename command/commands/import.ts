/** What other programs watch, as a file of ours; what could not be carried over is told line by line, and stands at its top. */
import { parseDocument } from 'yaml'
import { createClient } from '../client.ts'
import { importBlackbox } from '../import/blackbox.ts'
import { importGatus } from '../import/gatus.ts'
import { createImported, type Imported } from '../import/imported.ts'
import { importKuma, type KumaBackup } from '../import/kuma.ts'
import { readKumaDatabase } from '../import/kuma-database.ts'
import { importUptimeRobot } from '../import/uptimerobot.ts'
import { type Command, CommandError, exitCodes, type Io, type Options } from '../io.ts'
import { isObject, type Json, kindNames, kinds } from '../kinds.ts'
import { readSchemas } from '../plan/server-schemas.ts'
import { exportShown, put } from './export.ts'

type Given = { io: Io; file: string; options: Options; location: string; imported: Imported }

const sources: Readonly<Record<string, (given: Given) => Promise<void> | void>> = {
  kuma: async ({ io, file, location, imported }) => {
    const backup = /\.(db|sqlite3?)$/.test(file) ? readKumaDatabase(io.path(file)) : await readData(io, file)
    if (!Array.isArray(backup['monitorList']))
      throw new CommandError([`${file} has no "monitorList": it is no backup of Uptime Kuma`])
    importKuma(imported, backup as KumaBackup, location)
  },
  gatus: async ({ io, file, location, imported }) =>
    importGatus(imported, await readData(io, file), location),
  blackbox: async ({ io, file, options, location, imported }) => {
    const { prometheus } = options.values
    const modules = await readData(io, file)
    const targets = prometheus === undefined ? null : await readData(io, prometheus)
    importBlackbox(imported, { modules, prometheus: targets }, location)
  },
  uptimerobot: async ({ io, file, location, imported }) =>
    importUptimeRobot(imported, await readAny(io, file), location),
}

export const importFiles: Command = {
  name: 'import',
  takes: '<kuma|gatus|blackbox|uptimerobot> <file>, or api <address>',
  summary: 'what another program watches, as a file for apply',
  options: {
    out: { value: 'file', meaning: 'write it there' },
    location: { value: 'slug', meaning: 'the private location whose agents run the checks (local)' },
    prometheus: { value: 'file', meaning: 'of blackbox: Prometheus’ configuration, with the targets' },
    project: { value: 'name', meaning: 'the project that the file is of' },
    json: { meaning: 'print counts and what could not be carried over as one JSON value; needs --out' },
  },
  run: async (io, options) => {
    const [source = '', file] = options.positionals
    const { location = 'local', project = 'default', out } = options.values
    if (file === undefined)
      throw new CommandError([`say what and which file: ${Object.keys(sources).join(', ')} or api`])
    if (source === 'api') return importApi(io, file, options)
    const read = sources[source]
    if (read === undefined)
      throw new CommandError([`"${source}" is none of ${Object.keys(sources).join(', ')}, api`])
    const imported = createImported(`${source} (${file})`)
    await read({ io, file, options, location, imported })
    const isJson = options.switches.has('json')
    if (!isJson || out !== undefined) await put(io, out, imported.text(project))
    for (const note of imported.notes) io.progress(note)
    const counts = imported.counts()
    if (isJson) io.say(JSON.stringify({ counts, notes: imported.notes }, null, 2))
    const told = kindNames
      .filter((kind) => counts[kind])
      .map((kind) => `${counts[kind]} ${kinds[kind].section}`)
    io.progress(
      `${told.join(', ') || 'nothing'} imported; ${imported.notes.length} lines say what is otherwise`,
    )
    return exitCodes.done
  },
}

/** YAML reads JSON, too. @throws CommandError */
const readAny = async (io: Io, file: string): Promise<unknown> => {
  if ((await io.kindOf(io.path(file))) !== 'file') throw new CommandError([`${file} is not there`])
  const document = parseDocument(await io.readText(io.path(file)), { merge: true })
  if (document.errors.length > 0)
    throw new CommandError(document.errors.map(({ message }) => `${file}: ${message.split('\n')[0]}`))
  return document.toJS({ maxAliasCount: 10_000 })
}

const readData = async (io: Io, file: string): Promise<Json> => {
  const data = await readAny(io, file)
  if (!isObject(data)) throw new CommandError([`${file} has no sections`])
  return data
}

/** A service with the same API: its resources as ours, by the schemas of the control plane that they are for. */
const importApi = async (io: Io, address: string, { values }: Options): Promise<number> => {
  const { IMPORT_API_KEY, IMPORT_ACCOUNT_ID } = io.env
  const theirs = createClient({
    ...io,
    env: {
      WATCHPOST_URL: address,
      WATCHPOST_API_KEY: IMPORT_API_KEY,
      WATCHPOST_ACCOUNT_ID: IMPORT_ACCOUNT_ID,
    },
  })
  const schemas = await readSchemas(createClient({ ...io, env: { WATCHPOST_API_KEY: 'none', ...io.env } }))
  await put(
    io,
    values['out'],
    await exportShown(io, theirs, { schemas, project: values['project'] ?? 'default' }),
  )
  return exitCodes.done
}
