/** What of Playwright a page that is driven from outside needs. Its own types come with a runtime, which need not be installed. */
export type DrivenRequest = {
  url(): string
  isNavigationRequest(): boolean
  frame(): { parentFrame(): unknown }
  redirectedFrom(): DrivenRequest | null
}

type ElementHandle = {
  fill(value: string, options: object): Promise<void>
  selectOption(label: { label: string }, options: object): Promise<unknown>
  evaluate<T>(act: (element: { tagName: string }) => T): Promise<T>
}

export type Locator = {
  count(): Promise<number>
  first(): Locator
  nth(index: number): Locator
  waitFor(options: object): Promise<void>
  click(options: object): Promise<void>
  press(key: string, options: object): Promise<void>
  elementHandle(options: object): Promise<ElementHandle>
  isVisible(): Promise<boolean>
  innerText(options: object): Promise<string>
  inputValue(options: object): Promise<string>
  ariaSnapshot(options: object): Promise<string>
}

export type DrivenPage = {
  url(): string
  title(): Promise<string>
  isClosed(): boolean
  close(): Promise<void>
  goto(url: string, options: object): Promise<{ request(): DrivenRequest } | null>
  waitForLoadState(state: string, options: object): Promise<void>
  waitForTimeout(ms: number): Promise<void>
  screenshot(options: object): Promise<unknown>
  locator(selector: string): Locator
  getByRole(role: string, options: { name?: string; exact?: boolean }): Locator
  getByText(text: string): Locator
  keyboard: { press(key: string): Promise<void> }
}

type Route = {
  request(): DrivenRequest
  continue(): Promise<void>
  abort(reason: string): Promise<void>
}

export type DrivenContext = {
  on(event: 'requestfinished' | 'requestfailed', listener: (request: DrivenRequest) => void): void
  route(match: (url: URL) => boolean, act: (route: Route) => Promise<void>): Promise<void>
  newPage(): Promise<DrivenPage>
  pages(): DrivenPage[]
}
