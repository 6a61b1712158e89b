/** How a job pings its heartbeat, as text to copy. Pure. */

type WayToPing = { name: string; text: string; note: string }

/** In seconds, the longest first; a job that runs more often than it has to is never late. */
const schedules: readonly (readonly [seconds: number, cron: string])[] = [
  [604_800, '0 3 * * 1'],
  [86_400, '0 3 * * *'],
  [43_200, '0 */12 * * *'],
  [21_600, '0 */6 * * *'],
  [3600, '0 * * * *'],
  [1800, '*/30 * * * *'],
  [900, '*/15 * * * *'],
  [300, '*/5 * * * *'],
  [60, '* * * * *'],
]

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** cron and Kubernetes start nothing more often than once a minute: they are left out of shorter periods. */
export const waysToPing = (pingUrl: string, periodSeconds: number): WayToPing[] => {
  const curl = `curl -fsS -m 10 --retry 3 -o /dev/null ${quoted(pingUrl)}`
  const [, schedule] = schedules.find(([seconds]) => seconds <= periodSeconds) ?? []
  return [
    { name: 'curl', text: `your-job && ${curl}`, note: 'Only a job that has succeeded pings.' },
    ...(schedule === undefined
      ? []
      : [
          {
            name: 'cron',
            text: `${schedule} your-job && ${curl.replaceAll('%', '\\%')}`,
            note: 'A line of crontab.',
          },
        ]),
    { name: 'systemd', text: systemd(curl), note: 'The service that your timer starts.' },
    ...(schedule === undefined
      ? []
      : [
          {
            name: 'Kubernetes',
            text: cronJob(schedule, pingUrl),
            note: 'The job runs first; the ping is sent when it has succeeded.',
          },
        ]),
  ]
}

const systemd = (curl: string): string => `[Service]
Type=oneshot
ExecStart=/usr/local/bin/your-job
ExecStartPost=/usr/bin/${curl.replaceAll('%', '%%')}`

const cronJob = (schedule: string, pingUrl: string): string => `apiVersion: batch/v1
kind: CronJob
metadata:
  name: your-job
spec:
  schedule: "${schedule}"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          initContainers:
            - name: job
              image: your-image
          containers:
            - name: ping
              image: curlimages/curl
              args: ["-fsS", "-m", "10", "--retry", "3", "-o", "/dev/null", ${JSON.stringify(pingUrl)}]`
