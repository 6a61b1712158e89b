/** The peer of P1: prometheus-blackbox-exporter, asked for `/probe` over kept-alive connections as Prometheus does. */
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { endsWith, follow, type Program, scratchFolder, type Teardown } from '../../test/support/programs.ts'
import { closedPort } from '../../test/support/servers.ts'

const command = 'prometheus-blackbox-exporter'

export const blackboxVersion = (): string | null => {
  const { status, stdout, stderr } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  return status === 0 ? (/version (\S+)/.exec(stdout + stderr)?.[1]?.replace(/,$/, '') ?? 'unknown') : null
}

/** Status and body are judged, so that it asserts as much as we do. */
const config = `modules:
  http:
    prober: http
    timeout: 10s
    http:
      preferred_ip_protocol: ip4
      ip_protocol_fallback: false
      valid_status_codes: [200]
      fail_if_body_not_matches_regexp: ["All systems are up"]
      tls_config: { insecure_skip_verify: true }
  json:
    prober: http
    timeout: 10s
    http:
      preferred_ip_protocol: ip4
      ip_protocol_fallback: false
      valid_status_codes: [200]
      fail_if_body_not_matches_regexp: ['"status":"up"', '("name":.*){6}', '"version":"1\\.2\\.3"']
      fail_if_header_not_matches: [{ header: Content-Type, regexp: 'application/json' }]
`

export type BlackboxModule = 'http' | 'json'

export type Blackbox = { program: Program; port: number }

export const startBlackbox = async (b: Teardown): Promise<Blackbox> => {
  const folder = await scratchFolder(b)
  const file = join(folder, 'blackbox.yml')
  writeFileSync(file, config)
  const port = await closedPort()
  const args = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const program = endsWith(b, follow(child, command))
  await program.line(/[Ll]istening on/)
  return { program, port }
}

export type Load = { probes(): number; failures(): number; stop(): Promise<void> }

/** Probes `target` without a pause on `connections` connections at once, until stopped. */
export const probeWithoutPause = (
  port: number,
  { module, target }: { module: BlackboxModule; target: string },
  connections: number,
): Load => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const path = `/probe?module=${module}&target=${encodeURIComponent(target)}`
  let probes = 0
  let failures = 0
  let stopped = false
  const probe = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = http.get({ port, host: '127.0.0.1', path, agent }, (response) => {
        let text = ''
        response.setEncoding('latin1').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => {
          if (text.includes('\nprobe_success 1')) probes += 1
          else failures += 1
          resolve()
        })
      })
      request.on('error', reject)
    })
  const keepProbing = async (): Promise<void> => {
    while (!stopped) await probe()
  }
  const workers = Promise.all(Array.from({ length: connections }, keepProbing))
  return {
    probes: () => probes,
    failures: () => failures,
    stop: async () => {
      stopped = true
      await workers
      agent.destroy()
    },
  }
}
