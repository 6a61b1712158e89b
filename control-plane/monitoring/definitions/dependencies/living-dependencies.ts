import type { Db } from '../../../platform/store/database/db.ts'
import { dependenciesOf } from './queries.ts'
import { type DependsOn, dependencyText } from './schema.ts'

type Shown = { text: string; dependsOn: DependsOn }

/** What they depend on that is still there, by their texts; a document names what was there when it was written. */
export const livingDependencies = async (
  db: Db,
  all: readonly Shown[],
): Promise<(shown: Shown) => DependsOn> => {
  const some = all.filter(({ dependsOn }) => dependsOn.length > 0)
  if (some.length === 0) return ({ dependsOn }) => dependsOn
  const rows = await db.all(dependenciesOf, { texts: some.map(({ text }) => text) })
  const living = new Set(rows.map(({ dependent, depends_on }) => `${dependent} ${depends_on}`))
  return ({ text, dependsOn }) => dependsOn.filter((one) => living.has(`${text} ${dependencyText(one)}`))
}
