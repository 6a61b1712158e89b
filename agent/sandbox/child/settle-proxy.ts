import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { knownAddress } from '../../net/connect/known-address.ts'
import type { IsRefused } from './guard-network.ts'

const names = ['NODE_USE_ENV_PROXY', 'HTTP_PROXY', 'HTTPS_PROXY'] as const

type Environment = Record<string, string | undefined>
type AnyAgent = typeof http.Agent | typeof https.Agent
type Agent = {
  addRequest(...args: [{ onSocket(socket: null, error: Error): void }, { host?: string }, ...unknown[]]): void
}
type Dispatcher = { dispatch(options: { origin?: unknown }, handler: unknown): boolean }

/**
 * The proxy of the location, for `fetch` and for the agents of http and https, also those that scripts make. Node has read its
 * address from `env` at its start; there it would be the script's to read. The proxy resolves the names of targets; what can be
 * known of them without asking is held against the policy here, as it is for checks.
 */
export const settleProxy = (env: Environment, isRefused: IsRefused): void => {
  const { HTTP_PROXY, HTTPS_PROXY } = env
  for (const name of names) delete env[name]
  judgeRequests(http.Agent.prototype as unknown as Agent, isRefused)
  for (const key of dispatcherKeys()) {
    dispatchers[key] = withoutTunnels(dispatchers[key] as Dispatcher, {
      httpProxy: HTTP_PROXY,
      httpsProxy: HTTPS_PROXY,
    })
    judgeFetches(dispatchers[key], isRefused)
  }
  const proxyEnv = { HTTP_PROXY, HTTPS_PROXY }
  http.Agent = proxied(http.Agent, proxyEnv)
  https.Agent = proxied(https.Agent, proxyEnv)
  syncBuiltinESMExports()
}

/** An agent that says nothing else of proxies uses the location's. */
const proxied = <T extends AnyAgent>(agent: T, proxyEnv: object): T => {
  const withProxy = ([options]: { agent?: unknown }[]) => [{ proxyEnv, ...options }]
  return new Proxy(agent, {
    construct: (target, args, newTarget) => Reflect.construct(target, withProxy(args), newTarget),
    apply: (target, self, args) => Reflect.apply(target as never, self, withProxy(args)),
  })
}

const judgeRequests = (agent: Agent, isRefused: IsRefused): void => {
  const { addRequest } = agent
  agent.addRequest = function (this: Agent, request, options, ...rest) {
    const error = refusal(options.host ?? 'localhost', isRefused)
    if (error === null) return Reflect.apply(addRequest, this, [request, options, ...rest])
    request.onSocket(null, error)
  }
}

const judgeFetches = (dispatcher: Dispatcher, isRefused: IsRefused): void => {
  const { dispatch } = dispatcher
  dispatcher.dispatch = function (this: Dispatcher, options, handler) {
    const { hostname = '' } = URL.parse(String(options.origin)) ?? {}
    const error = refusal(hostname.replace(/^\[|\]$/g, ''), isRefused)
    if (error !== null) throw error
    return Reflect.apply(dispatch, this, [options, handler])
  }
}

const refusal = (host: string, isRefused: IsRefused): Error | null => {
  const address = knownAddress(host)
  if (address === null || !isRefused(address)) return null
  return Object.assign(new Error(`connect EACCES ${address}`), { code: 'EACCES' })
}

/** Where the `fetch` of Node keeps what sends its requests: a number at the end for each version of the interface. */
const dispatcherKeys = (): symbol[] =>
  Object.getOwnPropertySymbols(globalThis).filter(({ description }) =>
    description?.startsWith('undici.globalDispatcher'),
  )

const dispatchers = globalThis as unknown as Record<symbol, Dispatcher>

/** By itself `fetch` tunnels to http targets too, and common proxies make tunnels to port 443 only. */
const withoutTunnels = (dispatcher: Dispatcher, proxies: object): Dispatcher =>
  dispatcher.constructor.name === 'EnvHttpProxyAgent'
    ? Reflect.construct(dispatcher.constructor, [{ ...proxies, proxyTunnel: false }])
    : dispatcher
