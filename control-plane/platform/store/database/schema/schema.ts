/** The schema that the first release began with, a file per area, made in one go. What came later is a migration. */
import type { Engine } from '../engines.ts'
import { access } from './access.ts'
import { alerting } from './alerting.ts'
import { communication } from './communication.ts'
import { definitions } from './definitions.ts'
import { insight } from './insight.ts'
import { platform } from './platform.ts'
import { results } from './results.ts'
import { runs } from './runs.ts'
import { schedule } from './schedule.ts'

export const startingSchema = (engine: Engine): readonly string[] => [
  ...access,
  ...definitions,
  ...schedule,
  ...runs,
  ...results(engine),
  ...alerting,
  ...communication,
  ...insight,
  ...platform,
]
