import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { staticFilesOf } from '../pages/status/static-files.ts'
import { type Command, RefusedError } from './command.ts'
import { required } from './given.ts'

export const statusExport: Command = {
  name: 'status export',
  summary: 'write a public status page as files that any web server can show',
  description: [
    'A copy elsewhere outlives the house: run it now and then (from cron, say) and upload the folder. Forms and live updates are left',
    'out, because nobody answers there. Files that are in the folder already are replaced, others stay.',
  ].join('\n'),
  positionals: [{ name: 'folder', meaning: 'where to; made if it is not there' }],
  options: {
    page: { value: 'url', required: true, meaning: 'the `url` of the page' },
    address: { value: 'address', meaning: 'where the files will be seen, for feeds (default: BASE_URL)' },
  },
  run: async (context, args) => {
    const folder = context.file(required(args, 0))
    const url = args.values['page'] ?? ''
    const app = await context.open({ migrate: false })
    const root = (args.values['address'] ?? `${context.config.baseUrl}/status/${url}`).replace(/\/+$/, '')
    const files = await staticFilesOf(app, { url, root })
    if (files === null) throw new RefusedError(`there is no public status page ${url}`)
    for (const { path, bytes } of files) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bytes)
    }
    const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
    return {
      lines: [`Wrote ${files.length} files (${size} bytes) to ${folder}`],
      json: { folder, files: files.map(({ path }) => path), bytes: size },
    }
  },
}
