import { createClient } from '../client.ts'
import { readFiles } from '../files/read-files.ts'
import { type Command, CommandError, exitCodes, type Io, type Options } from '../io.ts'
import { applyPlan } from '../plan/apply-plan.ts'
import { completedBodies, depths, makePlan } from '../plan/make-plan.ts'
import { planAsJson, renderPlan } from '../plan/render.ts'
import { readSchemas } from '../plan/server-schemas.ts'

const shared = {
  project: { value: 'name', meaning: 'the project, where the files do not say it' },
  adopt: { meaning: 'take over what is there under the same name and no key has' },
  prune: { meaning: 'of the kinds in the files, delete what no key of any project has made, too' },
  json: { meaning: 'print one JSON value' },
}

const read = async (io: Io, { positionals, values, switches }: Options) => {
  const client = createClient(io)
  const files = await readFiles(io, positionals)
  const { project = files.project } = values
  if (files.project !== 'default' && project !== files.project)
    throw new CommandError([`the files are of the project ${files.project}, not of ${project}`])
  const options = { adopt: switches.has('adopt'), prune: switches.has('prune') }
  return { client, plan: await makePlan(io, client, { ...files, project }, options) }
}

/** What is said of many is said once. */
const summed = (warnings: readonly string[]): string[] => {
  const byText = Map.groupBy(warnings, (warning) => warning.slice(warning.indexOf(': ') + 2))
  return [...byText].map(([text, [first = text, ...others]]) =>
    others.length === 0 ? first : `${first} (and ${others.length} more like it)`,
  )
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

export const plan: Command = {
  name: 'plan',
  takes: '[files or folders]',
  summary: 'what apply would do',
  options: { ...shared, 'detailed-exitcode': { meaning: '2 instead of 0 where there are changes' } },
  run: async (io, options) => {
    const begun = io.now()
    const { plan } = await read(io, options)
    const hasChanges = plan.steps.some(({ action }) => action !== 'none')
    if (options.switches.has('json')) io.say(JSON.stringify(planAsJson(plan), null, 2))
    else for (const line of renderPlan(plan)) io.say(line)
    io.progress(`planned in ${seconds(io.now() - begun)}`)
    return hasChanges && options.switches.has('detailed-exitcode') ? exitCodes.changes : exitCodes.done
  },
}

export const apply: Command = {
  name: 'apply',
  takes: '[files or folders]',
  summary: 'make, change and delete, so that what is there is what the files say',
  options: shared,
  run: async (io, options) => {
    const begun = io.now()
    const isJson = options.switches.has('json')
    const { client, plan } = await read(io, options)
    if (!isJson) for (const line of renderPlan(plan)) io.say(line)
    const planned = io.now()
    const { done, failed, warnings } = await applyPlan(io, client, plan)
    for (const { step, message } of failed) io.progress(`${step.kind}.${step.key} failed: ${message}`)
    for (const warning of summed(warnings)) io.progress(`warning: ${warning}`)
    const count = (action: string) => done.filter((step) => step.action === action).length
    const counts = {
      ...{
        created: count('create'),
        changed: count('update'),
        replaced: count('replace'),
        deleted: count('delete'),
      },
      ...{ failed: failed.length, unchanged: plan.steps.filter(({ action }) => action === 'none').length },
    }
    const times = { planMs: Math.round(planned - begun), applyMs: Math.round(io.now() - planned) }
    if (isJson)
      io.say(
        JSON.stringify(
          {
            project: plan.project,
            ...counts,
            ...times,
            failures: failed.map(({ step, message }) => ({ kind: step.kind, key: step.key, message })),
            warnings,
          },
          null,
          2,
        ),
      )
    else if (plan.steps.some(({ action }) => action !== 'none')) io.say(appliedLine(counts, times))
    return failed.length > 0 ? exitCodes.failed : exitCodes.done
  },
}

type Times = { planMs: number; applyMs: number }

const appliedLine = (counts: Record<string, number>, { planMs, applyMs }: Times): string => {
  const told = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
  return `Applied: ${told.join(', ')} (planned in ${seconds(planMs)}, applied in ${seconds(applyMs)}).`
}

export const validate: Command = {
  name: 'validate',
  takes: '[files or folders]',
  summary: 'whether the control plane would take the files, without a look at what is there',
  options: { json: shared.json },
  run: async (io, { positionals, switches }) => {
    const files = await readFiles(io, positionals)
    completedBodies(
      files,
      await readSchemas(createClient({ ...io, env: { WATCHPOST_API_KEY: 'none', ...io.env } })),
    )
    depths(files.resources)
    const count = files.resources.length
    io.say(
      switches.has('json')
        ? JSON.stringify({ project: files.project, resources: count, problems: [] }, null, 2)
        : `Project ${files.project}: ${count} resources, all valid.`,
    )
    return exitCodes.done
  },
}
