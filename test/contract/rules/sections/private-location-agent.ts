import type { Sections } from '../rule.ts'

export const privateLocationAgent: Sections = {
  'Private location agent endpoints': [
    {
      rule: 'port 8081 by default, set by `AGENT_HEALTH_PORT`',
      elsewhere: [
        'test/agent/program/config.test.ts',
        'what is required is enough, and the defaults are those of the table',
      ],
    },
    {
      rule: 'GET /-/readiness: 200 when ready, 503 during shutdown',
      elsewhere: [
        'test/agent/jobs/agent.test.ts',
        'a drain finishes what runs, hands back what does not, and says so to the probes',
      ],
    },
    {
      rule: 'GET /-/liveness: 200',
      elsewhere: [
        'test/agent/jobs/agent.test.ts',
        'a drain finishes what runs, hands back what does not, and says so to the probes',
      ],
    },
    {
      rule: 'GET /health: 200',
      elsewhere: [
        'test/agent/jobs/agent.test.ts',
        'a drain finishes what runs, hands back what does not, and says so to the probes',
      ],
    },
  ],
  'Private location agent releases': [
    {
      rule: 'images, runtimes in images and the migration image',
      outside: 'There are no agent images yet',
    },
    {
      rule: 'ICMP and DNS monitors run on private locations',
      elsewhere: [
        'test/journeys/tcp-and-dns.test.ts',
        'TCP and DNS checks that are created run at once, and their results say what was seen',
      ],
    },
    {
      rule: 'a lightweight uptime image, and a dev image with build tools',
      outside: 'There are no agent images yet',
    },
    {
      rule: 'ICMP monitors need no root privileges',
      elsewhere: [
        'test/journeys/icmp.test.ts',
        'an ICMP check that is created runs at once, and its result says what was measured',
      ],
    },
    {
      rule: 'the agent falls back to IPv4 when IPv6 is disabled',
      elsewhere: ['test/agent/checks/url.test.ts', 'IPv6 checks use IPv4 where the machine has no IPv6'],
    },
    {
      rule: 'API checks and URL monitors capture packets on network failures',
      elsewhere: [
        'test/agent/net/evidence/capture/capture.test.ts',
        'a refused connection is captured: what was sent and how it was refused',
      ],
    },
    {
      rule: 'API checks and URL monitors capture traceroutes on network failures',
      elsewhere: [
        'test/agent/net/evidence/traceroute/traceroute.test.ts',
        'a refused connection is traced over every router, by somebody without privileges',
      ],
    },
    {
      rule: 'Bun as a package manager, cached browsers, global timeouts and the reporter’s degraded status in Playwright check suites',
      outside: 'No agent runs Playwright check suites yet',
    },
    {
      rule: 'browser and multi-step checks scrub the `Authorization` header',
      outside: 'No agent runs browser or multi-step checks yet',
    },
    {
      rule: '`SERVICE_SECRET_*` variables are scrubbed, also in encoded form, at one place',
      elsewhere: [
        'test/agent/checks/api-scripts.test.ts',
        'no secret gets into what is reported, also one that a script has made',
      ],
    },
    {
      rule: '`SERVICE` and `CI` in Playwright check suites',
      outside: 'No agent runs Playwright check suites yet',
    },
    {
      rule: 'agent releases patch bundled dependencies',
      outside: 'A habit of releases, not of the program',
    },
  ],
}
