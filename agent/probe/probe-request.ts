/** From the query of `/probe` to what is to be run. The modules are those of the check types (agent/checks). Pure. */
import type { CheckType } from '../../protocol/check-type.ts'
import { runners } from '../checks/index.ts'
import type { ProbeError, ProbeModule, ProbeSpec } from '../checks/probe-module.ts'

export type Probe = ProbeSpec & { checkType: CheckType }

export const probeModules: ReadonlyMap<string, { checkType: CheckType; read: ProbeModule }> = new Map(
  Object.entries(runners).flatMap(([type, { probes = {} }]) =>
    Object.entries(probes).map(([name, read]) => [name, { checkType: type as CheckType, read }]),
  ),
)

const usual = 'http_2xx'
const maxTargetLength = 2000

export const readProbe = (query: URLSearchParams): Probe | ProbeError => {
  const target = query.get('target') ?? ''
  if (target === '' || target.length > maxTargetLength) return { problem: 'target must name what to probe' }
  const module = probeModules.get(query.get('module') ?? usual)
  if (module === undefined) return { problem: `module must be one of ${[...probeModules.keys()].join(', ')}` }
  const { checkType, read } = module
  const probe = read(target, query)
  return 'problem' in probe ? probe : { checkType, ...probe }
}
