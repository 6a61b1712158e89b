import type { ApiSpec } from '../../protocol/checks/api.ts'

/** The request of an API check, with what a test does not care about filled in. */
export const apiRequest = (url: string, change: Partial<ApiSpec['request']> = {}): ApiSpec['request'] => ({
  url,
  method: 'GET',
  followRedirects: true,
  skipSSL: false,
  ipFamily: 'IPv4',
  body: '',
  bodyType: 'NONE',
  headers: [],
  queryParameters: [],
  assertions: [],
  basicAuth: null,
  ...change,
})
