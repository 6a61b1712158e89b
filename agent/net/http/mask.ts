import { hidden, sensitiveHeaders } from '../../scrub/scrub.ts'
import type { HeaderMap } from './http1-head.ts'

/** Headers as they may be stored: values that identify somebody are never reported, whatever the check says. */
export const maskHeaders = (headers: HeaderMap): HeaderMap => {
  const shown: HeaderMap = {}
  for (const name in headers)
    shown[name] = sensitiveHeaders.has(name.toLowerCase()) ? hidden : (headers[name] as string)
  return shown
}

/** The address without its password. */
export const maskUrl = (url: URL): string => {
  if (url.password === '') return url.href
  const shown = new URL(url)
  shown.password = hidden
  return shown.href.replace('%5Bsecret%5D', hidden)
}
