/**
 * What a slice asks of one that lies above it: questions as types here, the answers in `control-plane/lookups.ts`. A slice
 * asks `app.lookups`; it never imports upwards.
 */
import type { Db } from '../store/database/db.ts'

/** What checks and check groups refer to in their settings. */
export type Reference = { snippetId: number } | { serviceId: string } | { privateLocation: string }

/** Who refers to it, oldest first. */
export type Users = { checkIds: string[]; groupIds: number[] }

/** A variable in clear; `isHidden`: nobody may be shown its value. */
export type ClearVariable = { key: string; value: string; isHidden: boolean }

/** An error of a check that an alert tells of. */
export type AlertedError = {
  accountId: string
  checkId: string
  checkResultId: string | null
  errorMessage: string | null
  at: number
}

/** `App`: the type of platform/app/app.ts, which holds these. */
export type Lookups<App> = {
  usersOf(db: Db, accountId: string, reference: Reference): Promise<Users>
  /** By the id of the check, its group's tags among them: those that a schedule is paused by. */
  tagsOfChecks(db: Db, accountId: string, checkIds: readonly string[]): Promise<Map<string, string[]>>
  variablesOfGroup(app: App, group: { accountId: string; groupId: number }): Promise<ClearVariable[]>
  /** `AI_ANALYSIS_…` of templates: the newest analysis of the error; nothing when none is done. */
  analysisOf(app: App, error: AlertedError): Promise<Record<string, string>>
  /** Whether a host name is the installation's own, and not one of a page's. */
  isOwnHost(app: App, host: string | undefined): boolean
  /** Where the paths of a host name begin that is a page's own; null for all others. */
  prefixOfHost(app: App, host: string | undefined): Promise<string | null>
  /** Where a subscriber ends the subscription that a mail goes to; null when it has ended. */
  unsubscribeUrl(app: App, subscriptionId: string): Promise<string | null>
}
