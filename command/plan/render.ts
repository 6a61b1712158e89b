/** A plan in words: a line for each resource, and below it what changes. */
import type { Resource } from '../files/read-files.ts'
import { isObject } from '../kinds.ts'
import type { Difference } from './compare.ts'
import type { Plan, Step } from './make-plan.ts'

const marks = { create: '+', update: '~', replace: '-/+', delete: '-', none: ' ' } as const
const words = {
  create: 'will be created',
  update: 'will be changed',
  replace: 'will be replaced: its type changes',
  delete: 'will be deleted',
  none: 'stays',
} as const

/** Long plans are told in full with `--json` only. */
const maxLines = 40

export const renderPlan = ({ steps, project }: Plan): string[] => {
  const changes = steps.filter(({ action }) => action !== 'none')
  return [...changes.flatMap(renderStep), ...(changes.length > 0 ? [''] : []), summaryOf(steps, project)]
}

const renderStep = (step: Step): string[] => {
  const { action, kind, key, label, keyed, differences, resource } = step
  const more = keyed === 'adopt' ? ' (it is there already, and becomes this key’s)' : ''
  const told =
    keyed === 'forget' && action === 'delete' ? 'is gone already: its key goes' : `${words[action]}${more}`
  const lines = differences.map((one) => renderDifference(one, { action, resource }))
  const shown = lines.slice(0, maxLines)
  const left = lines.length - shown.length
  return [
    `  ${marks[action]} ${kind}.${key} ${label} ${told}`,
    ...shown.map((line) => `      ${line}`),
    ...(left > 0 ? [`      … and ${left} more`] : []),
  ]
}

type Of = { action: Step['action']; resource: Resource | null }

const renderDifference = (
  { path, before, after, isHidden }: Difference,
  { action, resource }: Of,
): string => {
  const said = rawAt(resource?.raw, path) ?? after
  const isFromOutside = typeof said === 'string' && /\$\{(env\.|file:)/.test(said)
  if (action === 'create') return `${path}: ${short(said)}`
  const shown = isHidden || isFromOutside ? '(hidden)' : short(before)
  return `${path}: ${shown} → ${isHidden && !isFromOutside ? '(hidden)' : short(said)}`
}

/** `request.headers[0].value` of what the file says. */
const rawAt = (raw: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .reduce<unknown>((value, part) => {
      if (Array.isArray(value)) return value[Number(part)]
      return isObject(value) ? value[part] : undefined
    }, raw)

const short = (value: unknown): string => {
  if (value === undefined || value === null) return '(nothing)'
  const text = JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

export const summaryOf = (steps: readonly Step[], project: string): string => {
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length
  const parts = [
    [count('create'), 'to create'],
    [count('update'), 'to change'],
    [count('replace'), 'to replace'],
    [count('delete'), 'to delete'],
  ] as const
  const told = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  const same = `${count('none')} unchanged`
  return told.length === 0
    ? `Project ${project}: nothing to do, ${same}.`
    : `Project ${project}: ${told.join(', ')}; ${same}.`
}

/** For programs: no value that came from the environment or from a file beside. */
export const planAsJson = ({ project, steps }: Plan): unknown => ({
  project,
  hasChanges: steps.some(({ action }) => action !== 'none'),
  changes: steps
    .filter(({ action }) => action !== 'none')
    .map(({ action, kind, key, label, id, keyed, differences, resource }) => ({
      ...{ action, kind, key, label, id, isAdopted: keyed === 'adopt' },
      differences: differences.map((one) => {
        const said = rawAt(resource?.raw, one.path)
        const isHidden = one.isHidden || (typeof said === 'string' && /\$\{(env\.|file:)/.test(said))
        return {
          path: one.path,
          isHidden,
          ...(isHidden ? {} : { before: one.before ?? null, after: one.after ?? null }),
        }
      }),
    })),
  unchanged: steps.filter(({ action }) => action === 'none').length,
})
