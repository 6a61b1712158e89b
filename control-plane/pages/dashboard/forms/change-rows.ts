/** Rows of a form are added and taken away by sending it. Pure. */
import { rowsIn, type Tree, treeOf } from './read-body.ts'

const maxRows = 500

/** `path`: `body.request.assertions` to add to, `body.request.assertions.2` to remove. What is not there is not changed. */
export const changeRows = (tree: Tree, act: 'add' | 'remove', path: string): Tree => {
  const steps = path.split('.').slice(0, 20)
  if (act === 'add')
    return changed(tree, steps, (rows) => (rows.length < maxRows ? [...rows, {}] : rows)) as Tree
  const position = Number(steps.pop())
  return changed(tree, steps, (rows) => rows.filter((_, at) => at !== position)) as Tree
}

/** Ticks all of a list, or none. */
export const chooseAll = (tree: Tree, path: string, values: readonly string[]): Tree =>
  changed(tree, path.split('.').slice(0, 20), () => values) as Tree

/** Another line of a text that is a list. */
export const putLine = (tree: Tree, path: string, line: string): Tree => {
  const steps = path.split('.').slice(0, 20)
  const at = (value: unknown, [step, ...others]: readonly string[]): unknown => {
    if (step === undefined) return [String(value ?? '').trim(), line].filter((each) => each !== '').join('\n')
    const holder = treeOf(value)
    return { ...holder, [step]: at(Object.hasOwn(holder, step) ? holder[step] : undefined, others) }
  }
  return at(tree, steps) as Tree
}

type Change = (rows: readonly unknown[]) => readonly unknown[]

const changed = (value: unknown, [step, ...others]: readonly string[], change: Change): unknown => {
  if (step === undefined) return change(rowsIn(value))
  if (Array.isArray(value))
    return value.map((each, at) => (String(at) === step ? changed(each, others, change) : each))
  const tree = treeOf(value)
  if (others.length > 0 && !Object.hasOwn(tree, step) && step === '__proto__') return tree
  return { ...tree, [step]: changed(Object.hasOwn(tree, step) ? tree[step] : undefined, others, change) }
}
