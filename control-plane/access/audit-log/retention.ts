import { kindOfTable, type RetentionKind } from '../../platform/retention/retention-kind.ts'

export const auditKind: RetentionKind = kindOfTable({
  name: 'audit',
  table: 'audit_entries',
  setting: 'audit',
  at: 'created_at',
  idsGrow: true,
})
