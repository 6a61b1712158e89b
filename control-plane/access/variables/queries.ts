/** All SQL about variables. `value` goes in and comes out sealed (sealed-value.ts). */
import { documentQueries } from '../../platform/store/database/document-queries.ts'

/** An insert does nothing when the key is taken. */
export const {
  find: findVariable,
  lock: lockVariable,
  page: listVariables,
  count: countVariables,
  insert: insertVariable,
  update: updateVariable,
  remove: deleteVariable,
} = documentQueries('variables', {
  name: 'variable',
  key: 'key',
  columns: {
    value: 'changes',
    locked: 'changes',
    secret: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
  },
  order: ['created_at', 'key'],
  unique: ['account_id', 'key'],
})
