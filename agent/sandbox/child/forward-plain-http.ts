import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

const names = ['NODE_USE_ENV_PROXY', 'HTTP_PROXY'] as const

type Environment = Record<string, string | undefined>
type Dispatcher = object

/**
 * Where the location has a proxy, requests for http are asked of the egress proxy whole, so that it can ask the proxy for them: common
 * proxies make tunnels to port 443 only. Node has read from `env` at its start that the egress proxy is such a proxy; there it would be
 * the script's to change.
 */
export const forwardPlainHttp = (env: Environment): void => {
  const { HTTP_PROXY } = env
  for (const name of names) delete env[name]
  for (const key of dispatcherKeys())
    dispatchers[key] = withoutTunnels(dispatchers[key] as Dispatcher, HTTP_PROXY)
  http.Agent = proxied({ HTTP_PROXY })
  syncBuiltinESMExports()
}

/** An agent that says nothing else of proxies uses the location's. */
const proxied = (proxyEnv: object): typeof http.Agent => {
  const withProxy = ([options]: { agent?: unknown }[]) => [{ proxyEnv, ...options }]
  return new Proxy(http.Agent, {
    construct: (target, args, newTarget) => Reflect.construct(target, withProxy(args), newTarget),
    apply: (target, self, args) => Reflect.apply(target, self, withProxy(args)),
  })
}

/** Where the `fetch` of Node keeps what sends its requests: a number at the end for each version of the interface. */
const dispatcherKeys = (): symbol[] =>
  Object.getOwnPropertySymbols(globalThis).filter(({ description }) =>
    description?.startsWith('undici.globalDispatcher'),
  )

// By their keys above, which the types of the global object do not have.
const dispatchers = globalThis as unknown as Record<symbol, Dispatcher>

/** By itself `fetch` asks for tunnels to http targets, too. */
const withoutTunnels = (dispatcher: Dispatcher, httpProxy: string | undefined): Dispatcher =>
  dispatcher.constructor.name === 'EnvHttpProxyAgent'
    ? Reflect.construct(dispatcher.constructor, [{ httpProxy, proxyTunnel: false }])
    : dispatcher
