/**
 * Slot rules in little memory: their numbers stand in columns. As an object each takes 250 B of V8's heap, all of which is looked through
 * whenever that is collected; here 64 B, which is not.
 */
import type { SlotRule } from '../../protocol/standing-order.ts'

type Pauses = SlotRule['pauses']

/** Rules are known by the number of their row, which another one has once it is removed. */
type SlotTable = {
  add(rule: SlotRule): number
  read(row: number): SlotRule
  remove(row: number): void
  clear(): void
}

const width = 8
const firstRows = 64
const none: Pauses = []

export const createSlotTable = (): SlotTable => {
  let numbers = new Float64Array(firstRows * width)
  let rows = 0
  const free: number[] = []
  /** Few checks have any. */
  const pauses = new Map<number, Pauses>()
  const makeRoom = (): void => {
    const larger = new Float64Array(Math.ceil(numbers.length / width / 2) * 3 * width)
    larger.set(numbers)
    numbers = larger
  }
  return {
    add: (rule) => {
      const row = free.pop() ?? rows++
      if ((row + 1) * width > numbers.length) makeRoom()
      const { periodMs, phaseMs, from, parallel, locations, position, turnAt, turn } = rule
      numbers.set([periodMs, phaseMs, from, Number(parallel), locations, position, turnAt, turn], row * width)
      if (rule.pauses.length > 0) pauses.set(row, rule.pauses)
      return row
    },
    read: (row) => {
      const [
        periodMs = 1,
        phaseMs = 0,
        from = 0,
        parallel,
        locations = 1,
        position = 0,
        turnAt = 0,
        turn = 0,
      ] = numbers.subarray(row * width, (row + 1) * width)
      return {
        ...{ periodMs, phaseMs, from, parallel: parallel === 1, locations, position, turnAt, turn },
        pauses: pauses.get(row) ?? none,
      }
    },
    remove: (row) => {
      pauses.delete(row)
      free.push(row)
    },
    clear: () => {
      numbers = new Float64Array(firstRows * width)
      rows = 0
      free.length = 0
      pauses.clear()
    },
  }
}
