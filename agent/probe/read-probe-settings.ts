import { list, parsed, type VariableSource } from '../base/read-variables.ts'
import { isTargetPattern } from './allowed-targets.ts'
import type { ProbeSettings } from './probe-endpoint.ts'

/** Null: `/probe` is off. It needs both settings: one alone is an error. */
export const readProbeSettings = (source: VariableSource): ProbeSettings | null => {
  const token = parsed<string | null>(source, 'AGENT_PROBE_TOKEN', {
    fallback: null,
    parse: (value) =>
      /^[\x21-\x7e]{16,200}$/.test(value) ? value : 'must be 16 to 200 characters without blanks',
  })
  const targets = list(source, 'AGENT_PROBE_TARGETS', {
    isValid: isTargetPattern,
    kind: 'hosts, names such as *.example.com, networks, or *',
  })
  if (token !== null && targets.length > 0) return Object.freeze({ token, targets })
  if (token !== null)
    source.problems.push('AGENT_PROBE_TARGETS is missing: what the holder of AGENT_PROBE_TOKEN may probe')
  if (targets.length > 0 && source.env['AGENT_PROBE_TOKEN'] === undefined)
    source.problems.push('AGENT_PROBE_TOKEN is missing: AGENT_PROBE_TARGETS says what its holder may probe')
  return null
}
