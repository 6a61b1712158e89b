import { readdirSync, readFileSync } from 'node:fs'

type Process = { pid: number; parent: number; name: string }

const processes = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, pid, command, parent] =
          /^(\d+) \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
        return [{ pid: Number(pid), parent: Number(parent), name: command ?? '' }]
      } catch {
        // It has ended while we were reading.
        return []
      }
    })

/** The ids of a process's descendants of that name. */
export const descendants = (root: number, name: string): number[] => {
  const all = processes()
  const below = (parent: number): Process[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)])
  return below(root)
    .filter((one) => one.name === name)
    .map(({ pid }) => pid)
}
