/** The settings of an agent, for people: `--help` is printed from this list, and docs/deploy/environment.md is written from it. */

/** `secret`: `<name>_FILE` may name a file that holds it. */
export type Variable = { name: string; default: string; meaning: string; secret?: boolean | undefined }

export const agentVariables: readonly Variable[] = [
  { name: 'CONTROL_PLANE_URL', default: 'required', meaning: 'address of the control plane, http or https' },
  {
    name: 'API_KEY',
    secret: true,
    default: 'required',
    meaning: 'key of the private location: `pl_` and 32 hex characters',
  },
  {
    name: 'UPTIME_CONCURRENCY',
    default: '500',
    meaning:
      'protocol checks that start at once, 1 to 10000; those that wait for their target for over a second do not count',
  },
  {
    name: 'SCRIPT_CONCURRENCY',
    default: '4',
    meaning:
      'setup and teardown scripts of API checks at once, 1 to 100; each may use up to 320 MB of memory',
  },
  {
    name: 'SCRIPT_ISOLATION',
    default: 'best',
    meaning:
      '`required` runs no code of users unless the kernel can isolate it (`docs/security.md`); `best` takes what the kernel has',
  },
  {
    name: 'JOB_CONCURRENCY',
    default: '1',
    meaning:
      'browser and multi-step checks and Playwright suites at once, 1 to 10; each may use up to 2 GB of memory, a suite up to 4 GB, most use a fifth of it',
  },
  {
    name: 'PREPARED_BROWSERS',
    default: '1',
    meaning:
      'processes that wait for browser and multi-step checks, 0 to 10, so that these start at once; each holds about 100 MB, one for files of tests, with its worker, about 200 MB',
  },
  {
    name: 'PLAYWRIGHT_BROWSERS_PATH',
    default: '~/.cache/ms-playwright',
    meaning: "folder of Playwright's own browsers, for machines without a Chromium of the system",
  },
  {
    name: 'SUITE_CACHE_DIR',
    default: './data/agent-suites',
    meaning: 'folder that keeps code bundles and installed packages of Playwright suites for their next runs',
  },
  {
    name: 'SUITE_CACHE_MAX_MB',
    default: '4096',
    meaning:
      'most that this folder holds; what was not used for the longest time goes first; 0 keeps nothing',
  },
  {
    name: 'AGENT_LLM_BASE_URL',
    default: 'unset',
    meaning:
      'OpenAI-compatible endpoint of the model of agentic checks, such as `https://llm.example/v1`; it needs a key and a model, too',
  },
  { name: 'AGENT_LLM_API_KEY', secret: true, default: 'unset', meaning: 'key of that endpoint' },
  { name: 'AGENT_LLM_MODEL', default: 'unset', meaning: 'name of the model' },
  {
    name: 'AGENT_LLM_TIMEOUT_SECONDS',
    default: '60',
    meaning: 'how long one answer of the model may take, 1 to 240',
  },
  {
    name: 'AGENT_LLM_MAX_STEPS',
    default: '40',
    meaning: 'tools that the model may use in one run, 1 to 200',
  },
  {
    name: 'AGENT_LLM_MAX_TOKENS',
    default: '200000',
    meaning: 'tokens that one run may use, 1000 to 10000000',
  },
  {
    name: 'AGENT_LLM_DAILY_TOKENS',
    default: '5000000',
    meaning:
      'tokens that all runs of this agent may use from midnight to midnight in UTC; after a restart they count anew',
  },
  {
    name: 'AGENT_LLM_INPUT_PRICE',
    default: 'unset',
    meaning: 'price of a million tokens that the model reads, for `AGENT_LLM_MAX_COST` and the results',
  },
  {
    name: 'AGENT_LLM_OUTPUT_PRICE',
    default: 'unset',
    meaning: 'price of a million tokens that it writes',
  },
  {
    name: 'AGENT_LLM_MAX_COST',
    default: 'unset',
    meaning: 'what one run may cost, in the currency of the prices',
  },
  {
    name: 'AGENT_HEALTH_PORT',
    default: '8081',
    meaning: 'port of the probes and metrics; 0 takes a free one',
  },
  {
    name: 'AGENT_HEALTH_HOST',
    default: 'all addresses',
    meaning: 'address that the probes and metrics listen on',
  },
  {
    name: 'AGENT_PROBE_TOKEN',
    secret: true,
    default: 'unset',
    meaning:
      'bearer token of `/probe` on that port (`docs/monitoring/exporter.md`), 16 to 200 characters; unset: it is off',
  },
  {
    name: 'AGENT_PROBE_TARGETS',
    default: 'none',
    meaning: 'what its holder may probe: hosts, names such as `*.example.com`, networks, or `*`',
  },
  {
    name: 'EXTERNAL_OBSERVABILITY',
    default: 'on',
    meaning: "`off` sends no events about the agent's own errors to the control plane",
  },
  {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
  },
  {
    name: 'SPOOL_DIR',
    default: './data/agent-spool',
    meaning:
      'folder that keeps results and their files until the control plane has them, and standing orders, encrypted with the key',
  },
  {
    name: 'SPOOL_MAX_MB',
    default: '256',
    meaning: 'most that the folder holds; the oldest go first',
  },
  {
    name: 'FALLBACK_WEBHOOK_URL',
    secret: true,
    default: 'unset',
    meaning:
      'address that this agent tells when its control plane is away, and then of each check whose state changes (`docs/outages.md`)',
  },
  {
    name: 'FALLBACK_WEBHOOK_SECRET',
    secret: true,
    default: 'unset',
    meaning: 'signs what that address is told, as the secret of a webhook channel does',
  },
  {
    name: 'FALLBACK_AFTER',
    default: '5m',
    meaning:
      'how long the control plane has to be away before somebody is told, such as 90s or 5m; 15s to 24h',
  },
  {
    name: 'DRAIN_TIMEOUT_SECONDS',
    default: '300',
    meaning: 'how long running checks may go on after SIGTERM',
  },
  {
    name: 'DNS_SERVERS',
    default: "the system's resolver",
    meaning: 'name servers for checks, as addresses with an optional port',
  },
  {
    name: 'BLOCKED_NETWORKS',
    default: 'none',
    meaning: "networks that checks may not connect to, beside the clouds' metadata services",
  },
  {
    name: 'ALLOWED_NETWORKS',
    default: 'none',
    meaning:
      'exceptions to `BLOCKED_NETWORKS` and to metadata services; alone, the only networks that checks may connect to',
  },
  {
    name: 'CAPTURE',
    default: 'on',
    meaning:
      '`off`: failing checks carry no packet capture; `on` takes one where `tcpdump` is installed and may capture',
  },
  {
    name: 'HTTP_PROXY',
    secret: true,
    default: 'unset',
    meaning: 'proxy for traffic to an http control plane, with its user and password where it wants them',
  },
  {
    name: 'HTTPS_PROXY',
    secret: true,
    default: 'unset',
    meaning: 'the same for traffic to an https control plane',
  },
  {
    name: 'NO_PROXY',
    default: 'unset',
    meaning:
      'control planes that are reached without a proxy: names with all below them, addresses, networks, each with an optional port, or `*`',
  },
  {
    name: 'EXTRA_CA_CERTS',
    default: 'unset',
    meaning: 'PEM file of further authorities to trust, for the control plane and for checks',
  },
  {
    name: 'BUILD_REVISION',
    default: 'unset',
    meaning: 'revision of the sources, for the metric `watchpost_build_info`; images set it',
  },
]
