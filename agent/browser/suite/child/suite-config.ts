/** The configuration of a suite as it runs here: its own, with what a run needs to leave behind. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFiles } from '../../run-files.ts'

type Use = { trace?: unknown; screenshot?: unknown; video?: unknown }
type Project = { use?: Use; outputDir?: string }
type Config = Project & { reporter?: unknown; projects?: Project[] }
type Reporter = [name: string, options?: unknown]

/** They pack what they show into one file, in which nobody could find a secret. */
const packing = new Set(['html', 'blob'])

const bridgeCode = 'module.exports = function () { return globalThis.watchpostReporter }\n'

/** `reporters`: those of the command, which stand in for those of the configuration. */
export const suiteConfig =
  (own: string, reporters: readonly string[] | null) =>
  (given: Config | { default: Config }): Config => {
    const config = 'default' in given ? given.default : given
    const bridge = join(own, 'suite-reporter.js')
    writeFileSync(bridge, bridgeCode)
    const chosen: Reporter[] = reporters?.map((name) => [name] as Reporter) ?? listed(config.reporter)
    const output = join(own, runFiles.output)
    return {
      ...config,
      outputDir: join(output, 'results'),
      use: { screenshot: 'only-on-failure', ...config.use, trace: tracing(config.use?.trace) },
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

/** There is one for every attempt that fails, and more if the suite says so. */
const tracing = (wanted: unknown): unknown =>
  wanted === undefined || wanted === 'off' ? 'retain-on-failure' : wanted

const projectHere = ({ outputDir: _, ...project }: Project): Project =>
  project.use?.trace === undefined
    ? project
    : { ...project, use: { ...project.use, trace: tracing(project.use.trace) } }
