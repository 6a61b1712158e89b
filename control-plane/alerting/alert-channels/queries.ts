/** All SQL about alert channels. `sealed_config` goes in and comes out sealed (channel-row.ts). */
import { documentQueries } from '../../platform/store/database/document-queries.ts'

export const {
  find: findChannel,
  lock: lockChannel,
  page: listChannels,
  count: countChannels,
  insert: insertChannel,
  update: updateChannel,
  remove: deleteChannel,
} = documentQueries('alert_channels', {
  name: 'alert-channel',
  key: 'id',
  columns: {
    type: 'changes',
    auto_subscribe: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
    doc: 'changes',
    sealed_config: 'changes',
  },
})
