import { isIP } from 'node:net'
import { networkList, parseNetwork } from '../../protocol/networks/network-list.ts'

/** What a probe may name: `*`, a host, `*.example.com` (all below it), or a network of addresses. */
export const isTargetPattern = (text: string): boolean =>
  text === '*' || parseNetwork(text) !== null || /^(\*\.)?[\w-]+(\.[\w-]+)*\.?$/.test(text)

const named = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/** Judges the name that was given; where it leads to is for the agent's rules for networks to judge. */
export const allowedTargets = (patterns: readonly string[]): ((host: string) => boolean) => {
  const networks = networkList(patterns.filter((pattern) => parseNetwork(pattern) !== null))
  const names = new Set(patterns.map(named))
  const suffixes = patterns.flatMap((pattern) => (pattern.startsWith('*.') ? [named(pattern.slice(1))] : []))
  return (host) => {
    if (names.has('*')) return true
    if (isIP(host) !== 0) return networks.has(host)
    const name = named(host)
    return names.has(name) || suffixes.some((suffix) => name.endsWith(suffix))
  }
}
