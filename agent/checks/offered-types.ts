import type { CheckType } from '../../protocol/check-type.ts'
import type { Io } from '../io.ts'
import { runners } from './index.ts'

/** What this agent can run as far as it knows by now. */
export const offeredTypes = (io: Pick<Io, 'browsers'>): CheckType[] =>
  (Object.keys(runners) as CheckType[]).filter((type) => runners[type]?.isAvailable?.(io) ?? true)
