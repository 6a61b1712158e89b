import { type Route, route } from '../../platform/web/http/route.ts'
import { AuditPage, AuditQuery, listAudit } from './list-entries.ts'

const example = {
  id: '0197c1a2-4b5c-7d6e-8f90-a1b2c3d4e5f6',
  created_at: '2026-01-01T00:00:00.000Z',
  actor: { type: 'SESSION' as const, id: '7a1f0c9b-6d2e-4b35-a8c7-e5d4f3b2a190', name: 'ada@example.com' },
  address: '203.0.113.7',
  action: 'PATCH /v1/accounts/me',
  resourceType: 'account',
  resourceId: null,
  resourceName: 'Web shop',
  before: { name: 'Shop' },
  after: { name: 'Web shop' },
}

const list = route({
  method: 'GET',
  path: '/v1/audit-log',
  access: 'ADMIN',
  tag: 'Audit log',
  summary: 'Who changed what, from where, newest first',
  description:
    'Every change by a key or in a browser, and every sign-in. `before` and `after` hold the fields that changed as the ' +
    'weakest role may read them, so no secret; what is longer than 4,000 characters is named by its length. Kept ' +
    '`RETENTION_AUDIT_DAYS`.',
  query: AuditQuery,
  status: 200,
  response: AuditPage,
  example: { query: { limit: 20 }, response: { length: 1, entries: [example], nextId: null } },
  handle: ({ query, principal: { accountId } }, app) => listAudit(app, accountId, query),
})

export const auditLogRoutes: Route[] = [list]
