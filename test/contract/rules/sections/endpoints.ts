import type { Sections } from '../rule.ts'

export const endpoints: Sections = {
  'POST /v1/checks/browser': [
    'autoAssignAlerts: boolean, default true: subscribed to all existing alert channels',
    'only `name` and `script` are required',
    'Created: the browser check with id, checkType, alertChannels, created_at and updated_at',
  ],
  'POST /v1/checks/url': [
    'autoAssignAlerts: boolean, default true: subscribed to all existing alert channels',
    'only `name` and `request` are required',
    'Created: the URL monitor with id, checkType, alertChannels, created_at and updated_at',
  ],
  'POST /v1/checks/heartbeat': [
    'autoAssignAlerts: boolean, default true: subscribed to all existing alert channels',
    'only `name`, `heartbeat` and `script` are required',
    'Created: the listed fields, `heartbeat` with its pingUrl',
  ],
  'PUT /v1/check-groups/{id}': [
    'id: an integer',
    'autoAssignAlerts: boolean, default true',
    'no field of the body is required',
    'response: the check group, always with name, activated, concurrency and apiCheckDefaults',
  ],
  'POST /v1/status-pages': ['Created: a record with name, url and id'],
  'GET /v1/status-pages/services/{serviceId}': ['serviceId: text; the answer is the service'],
  'DELETE /v1/status-pages/incidents/{incidentId}': ['incidentId: text; No Content, and it is gone'],
  'GET /v1/maintenance-windows/{id}': ['id: an integer; the answer is the window'],
  'POST /v1/client-certificates': ['Created: the certificate'],
  'DELETE /v1/client-certificates/{id}': ['id: text; No Content, and it is gone'],
  'GET /v1/alert-channels/{id}': ['id: an integer; the answer is the channel'],
  'POST /v1/snippets': ['Created: the snippet'],
  'GET /v1/locations': ['no parameters; a list of locations'],
}
