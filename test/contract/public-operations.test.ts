/** The operations that clients of such services know, and which of them are here: the counts of docs/clients.md are those of this table. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { routes } from '../../control-plane/routes.ts'

/** Methods and path, `{}` for what is named by an id. */
const known = `
GET POST /v1/checks
GET PUT DELETE /v1/checks/{}
GET /v2/checks
GET /v2/checks/{}
GET /v3/checks
GET /v3/checks/{}
POST /v1/checks/api
PUT /v1/checks/api/{}
POST /v1/checks/browser
PUT /v1/checks/browser/{}
POST /v1/checks/multistep
PUT /v1/checks/multistep/{}
POST /v1/checks/url
PUT /v1/checks/url/{}
POST /v1/checks/tcp
PUT /v1/checks/tcp/{}
POST /v1/checks/dns
PUT /v1/checks/dns/{}
POST /v1/checks/icmp
PUT /v1/checks/icmp/{}
POST /v1/checks/ssl
PUT /v1/checks/ssl/{}
POST /v1/checks/heartbeat
PUT /v1/checks/heartbeat/{}
POST /v1/checks/grpc
PUT /v1/checks/grpc/{}
POST /v1/checks/traceroute
PUT /v1/checks/traceroute/{}
GET /v1/checks/heartbeats/{}/events
GET /v1/checks/heartbeats/{}/events/{}
GET /v1/checks/heartbeats/{}/availability
GET POST /v1/check-groups
GET PUT DELETE /v1/check-groups/{}
GET /v1/check-groups/{}/checks
GET /v1/check-groups/{}/checks/{}
POST /v2/check-groups
PUT /v2/check-groups/{}
GET /v2/check-groups/{}/checks
GET /v2/check-groups/{}/checks/{}
GET /v1/check-statuses
GET /v1/check-statuses/{}
GET /v1/check-results/{}
GET /v1/check-results/{}/{}
GET /v1/check-results/{}/{}/assets
GET /v2/check-results/{}
GET /v1/check-alerts
GET /v1/check-alerts/{}
GET /v1/alert-notifications
GET POST /v1/alert-channels
GET PUT DELETE /v1/alert-channels/{}
PUT /v1/alert-channels/{}/subscriptions
POST /v1/check-sessions/trigger
GET /v1/check-sessions/{}
GET /v1/check-sessions/{}/completion
POST /v1/check-sessions/{}/cancel
POST /v2/check-sessions/trigger
GET /v2/check-sessions/{}
GET /v2/check-sessions/{}/completion
GET /v1/test-sessions
POST /v1/test-sessions/trigger
GET /v1/test-sessions/{}
GET /v1/test-sessions/{}/completion
POST /v1/test-sessions/{}/cancel
GET /v1/test-sessions/{}/results/{}
GET /v1/test-sessions/{}/results/{}/assets
GET POST DELETE /v1/triggers/checks/{}
GET POST DELETE /v1/triggers/check-groups/{}
GET POST /v1/deployment-triggers
GET /v1/analytics/api-checks/{}
GET /v1/analytics/url-monitors/{}
GET /v1/analytics/browser-checks/{}
GET /v1/analytics/multistep-checks/{}
GET /v1/analytics/playwright-checks/{}
GET /v1/analytics/tcp-checks/{}
GET /v1/analytics/dns/{}
GET /v1/analytics/icmp/{}
GET /v1/analytics/ssl/{}
GET /v1/analytics/heartbeat-checks/{}
GET /v1/analytics/metrics
POST /v1/analytics/checks
GET /v1/reporting
GET POST /v1/status-pages
GET PUT DELETE /v1/status-pages/{}
GET POST /v1/status-pages/services
GET PUT DELETE /v1/status-pages/services/{}
GET /v1/status-pages/{}/subscriptions
POST /v1/status-pages/{}/subscriptions/bulk
DELETE /v1/status-pages/{}/subscriptions/{}
GET POST /v1/status-pages/incidents
GET PUT DELETE /v1/status-pages/incidents/{}
GET POST /v1/status-pages/incidents/{}/incident-updates
GET PUT DELETE /v1/status-pages/incidents/{}/incident-updates/{}
GET POST /v3/status-pages
GET PUT DELETE /v3/status-pages/{}
GET /v3/status-pages/{}/custom-domain-verifications
POST /v3/status-pages/{}/custom-domain-verifications/recheck
GET POST /v3/status-pages/{}/components
GET PUT DELETE /v3/status-pages/{}/components/{}
GET POST /v3/status-pages/{}/automation-rules
GET PUT DELETE /v3/status-pages/{}/automation-rules/{}
GET POST /v3/status-pages/{}/incidents
GET PUT DELETE /v3/status-pages/{}/incidents/{}
PUT /v3/status-pages/{}/incidents/{}/component-impacts
GET POST /v3/status-pages/{}/incidents/{}/incident-updates
GET PUT DELETE /v3/status-pages/{}/incidents/{}/incident-updates/{}
GET /v3/status-pages/{}/subscribers
POST /v3/status-pages/{}/subscribers/bulk
DELETE /v3/status-pages/{}/subscribers/{}
POST /v1/incidents
GET PUT DELETE /v1/incidents/{}
POST /v1/incidents/{}/updates
PUT DELETE /v1/incidents/{}/updates/{}
GET POST /v1/maintenance-windows
GET PUT DELETE /v1/maintenance-windows/{}
GET /v1/maintenance-windows/{}/maintenances
GET PATCH DELETE /v1/maintenance-windows/{}/maintenances/{}
POST /v1/maintenance-windows/{}/maintenances/{}/updates
PUT DELETE /v1/maintenance-windows/{}/maintenances/{}/updates/{}
GET /v1/accounts
GET /v1/accounts/me
GET /v1/accounts/{}
GET /v1/accounts/me/entitlements
GET /v1/accounts/{}/entitlements
GET /v1/accounts/me/members
GET /v1/accounts/{}/members
PATCH DELETE /v1/accounts/me/members/{}
PATCH DELETE /v1/accounts/{}/members/{}
GET POST /v1/variables
GET PUT DELETE /v1/variables/{}
GET POST /v1/snippets
GET PUT DELETE /v1/snippets/{}
GET POST /v1/client-certificates
GET DELETE /v1/client-certificates/{}
GET POST /v1/dashboards
GET PUT DELETE /v1/dashboards/{}
GET /v1/locations
GET /v1/runtimes
GET /v1/runtimes/{}
GET /v1/static-ips
GET /v1/static-ips-by-region
GET /v1/static-ips.txt
GET /v1/static-ipv6s
GET /v1/static-ipv6s-by-region
GET /v1/static-ipv6s.txt
GET /v1/badges/checks/{}
GET /v1/badges/groups/{}
GET /v1/secret-scans
GET POST /v1/private-locations
GET PUT DELETE /v1/private-locations/{}
POST /v1/private-locations/{}/keys
DELETE /v1/private-locations/{}/keys/{}
GET /v1/private-locations/{}/metrics
GET /v1/error-groups
GET /v1/error-groups/checks/{}
GET PATCH /v1/error-groups/{}
GET /v1/test-session-error-groups
GET /v1/test-session-error-groups/projects/{}
GET PATCH /v1/test-session-error-groups/{}
POST /v1/root-cause-analyses/error-groups/{}
POST /v1/root-cause-analyses/test-session-error-groups/{}
GET /v1/root-cause-analyses/{}
GET /v1/usage/terms
GET /v1/usage/summary
GET /v1/usage/series
GET /v2/usage/terms
GET /v2/usage/summary
GET /v2/usage/series
`

/** The beginnings of what is not here; docs/clients.md says why, by the name beside. */
const absent: { [beginning: string]: string } = {
  '/v1/deployment-triggers': 'Deployment triggers',
  '/v2/usage/': '/v2/usage/…',
}

const operations = known
  .trim()
  .split('\n')
  .flatMap((line) => {
    const words = line.split(' ')
    const path = words.pop() ?? ''
    return words.map((method) => ({ name: `${method} ${path}`, path }))
  })

const ours = new Set(routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, '{}')}`))
const docs = readFileSync('docs/clients.md', 'utf8')

t.test('every operation is here, or the docs say why it is not', async (t) => {
  for (const { name, path } of operations) {
    const beginning = Object.keys(absent).find((each) => path.startsWith(each))
    t.equal(ours.has(name), beginning === undefined, name)
  }
  const why = docs.slice(docs.indexOf('## What does not'))
  for (const name of Object.values(absent)) t.ok(why.includes(name), `${name} has its reason`)
})

t.test('the docs have the count', async (t) => {
  t.equal(new Set(operations.map(({ name }) => name)).size, operations.length, 'each is counted once')
  const there = operations.filter(({ name }) => ours.has(name)).length
  const [sentence] = /\d+ of the \d+ operations/.exec(docs) ?? []
  t.equal(sentence, `${there} of the ${operations.length} operations`)
})
