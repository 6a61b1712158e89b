import type { DrivenContext, DrivenPage, DrivenRequest } from './page-types.ts'

/** Keeps the pages of a context where they may be. What they load into themselves is theirs. */
export type OriginGuard = {
  allows(url: string): boolean
  /** For the time of `act` servers may lead elsewhere; where an address of the task led is then allowed. */
  following<T>(act: () => Promise<T>): Promise<T>
  allow(origins: readonly string[]): void
  /** The page that people would have before them; null: it is none that may be looked at. Closes others. */
  current(): Promise<DrivenPage | null>
  /** A page is on its way to another one. */
  isMoving(): boolean
  /** Where pages wanted to go and were not let, since the last call. */
  takeRefused(): string[]
}

/** Nothing was opened yet, or nobody answered. */
const isNowhere = (url: string): boolean => url === 'about:blank' || url.startsWith('chrome-error:')

export const originOf = (url: string): string => URL.parse(url)?.origin ?? 'null'

/** Every navigation of a page is asked about before it is sent; where redirects led is looked at before anybody acts on it. */
export const guardOrigins = async (
  context: DrivenContext,
  origins: readonly string[],
): Promise<OriginGuard> => {
  const allowed = new Set(origins)
  const moving = new Set<DrivenRequest>()
  const refused = new Set<string>()
  const allows = (url: string): boolean => allowed.has(originOf(url))
  forgetArrived(context, moving)
  await context.route(
    () => true,
    async (route) => {
      const request = route.request()
      if (!isOfPage(request)) return route.continue()
      if (!allows(request.url())) {
        refused.add(originOf(request.url()))
        // Not as blocked: Chromium would show a page about it in the place of the present one.
        return route.abort('aborted')
      }
      moving.add(request)
      return route.continue()
    },
  )
  let isFollowing = false
  return {
    allows,
    following: async (act) => {
      isFollowing = true
      try {
        return await act()
      } finally {
        isFollowing = false
      }
    },
    allow: (more) => {
      for (const origin of more) allowed.add(origin)
    },
    current: async () => {
      for (;;) {
        const open = context.pages().filter((page) => !page.isClosed())
        const page = open.at(-1) ?? (await context.newPage())
        if (isFollowing || isNowhere(page.url()) || allows(page.url())) return page
        refused.add(originOf(page.url()))
        await page.close()
        if (open.length === 1) return null
      }
    },
    isMoving: () => moving.size > 0,
    takeRefused: () => {
      const all = [...refused]
      refused.clear()
      return all
    },
  }
}

const forgetArrived = (context: DrivenContext, moving: Set<DrivenRequest>): void => {
  const arrived = (request: DrivenRequest): void => {
    for (let one: DrivenRequest | null = request; one !== null; one = one.redirectedFrom()) moving.delete(one)
  }
  context.on('requestfinished', arrived)
  context.on('requestfailed', arrived)
}

/** Of a window that has only just opened the frame is not known yet: then it is its page. */
const isOfPage = (request: DrivenRequest): boolean => {
  if (!request.isNavigationRequest()) return false
  try {
    return request.frame().parentFrame() === null
  } catch {
    return true
  }
}
