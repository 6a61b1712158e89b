/** The configuration of a suite as it runs here: its own, with what a run needs to leave behind. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { retainedTrace } from '../../child/retained-trace.ts'
import { runFiles } from '../../run-files.ts'

type Use = { trace?: unknown; screenshot?: unknown; video?: unknown }
type Project = { use?: Use; outputDir?: string }
type Server = { url?: unknown; reuseExistingServer?: unknown }
type Config = Project & { reporter?: unknown; projects?: Project[]; webServer?: Server | Server[] }
type Reporter = [name: string, options?: unknown]

/** They pack what they show into one file, in which nobody could find a secret. */
const packing = new Set(['html', 'blob'])

const bridgeCode = 'module.exports = function () { return globalThis.watchpostReporter }\n'

/** `reporters`: those of the command, which stand in for those of the configuration. */
export const suiteConfig =
  (own: string, reporters: readonly string[] | null) =>
  (given: Config | { default: Config }): Config => {
    const config = 'default' in given ? given.default : given
    refuseServers(config)
    const bridge = join(own, 'suite-reporter.js')
    writeFileSync(bridge, bridgeCode)
    const chosen: Reporter[] = reporters?.map((name) => [name] as Reporter) ?? listed(config.reporter)
    const output = join(own, runFiles.output)
    return {
      ...config,
      outputDir: join(output, 'results'),
      use: { screenshot: 'only-on-failure', ...config.use, trace: retainedTrace(config.use?.trace) },
      ...(config.projects === undefined ? {} : { projects: config.projects.map(projectHere) }),
      reporter: [
        ...chosen.filter(([name]) => !packing.has(name)),
        [bridge],
        ['json', { outputFile: join(output, runFiles.report) }],
      ],
    }
  }

const listed = (reporter: unknown): Reporter[] => {
  if (typeof reporter === 'string') return [[reporter]]
  return Array.isArray(reporter) && reporter.length > 0 ? (reporter as Reporter[]) : [['list']]
}

/** Nobody connects to a program of a run. One that is there already may be waited for. */
const refuseServers = ({ webServer = [] }: Config): void => {
  const isElsewhere = ({ url, reuseExistingServer }: Server): boolean =>
    reuseExistingServer === true &&
    !/^https?:\/\/(?:localhost|127\.|\[?::1)/.test(String(url ?? 'http://localhost'))
  if ([webServer].flat().every(isElsewhere)) return
  throw new Error(
    'The configuration starts a server (webServer), and nothing can connect to a program of a run: leave it out where process.env.SERVICE is set, and test a site that is deployed',
  )
}

const projectHere = ({ outputDir: _, ...project }: Project): Project =>
  project.use?.trace === undefined
    ? project
    : { ...project, use: { ...project.use, trace: retainedTrace(project.use.trace) } }
