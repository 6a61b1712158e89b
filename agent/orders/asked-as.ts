/** What decides which orders there are for an agent, as it is kept beside them. Pure. */
import type { OrdersQuestion } from './fetch-orders.ts'

type Types = OrdersQuestion['checkTypes']

export const askedAs = ({ checkTypes, runtimeIds, playwrightRuntimeIds }: OrdersQuestion): string =>
  JSON.stringify([checkTypes.toSorted(), runtimeIds, playwrightRuntimeIds])

/** Empty: nothing was asked. */
const typesOf = (before: string): Types => (before === '' ? [] : (JSON.parse(before)[0] as Types))

/** The question, also for what was asked for before. */
export const withTypesOf = (before: string, question: OrdersQuestion): OrdersQuestion => ({
  ...question,
  checkTypes: [...new Set([...question.checkTypes, ...typesOf(before)])],
})

/** The types by which a question asks for more than the one before; empty as well where they differ in anything else. */
export const addedTypes = (before: string, question: OrdersQuestion): Types => {
  const had = typesOf(before)
  const isMore =
    before !== '' &&
    askedAs({ ...question, checkTypes: had }) === before &&
    had.every((type) => question.checkTypes.includes(type))
  return isMore ? question.checkTypes.filter((type) => !had.includes(type)) : []
}
