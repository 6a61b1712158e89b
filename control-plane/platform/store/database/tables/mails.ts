/** Mails of our own: to subscribers, invited people, owners and admins. Conventions: store/database/tables.ts. */

/** What one mail, or all mails of an announcement, say. Sealed: links in it are secrets. */
export type MailContentsTable = { id: string; account_id: string; sealed_content: string; created_at: number }

/** One mail to one address. */
export type MailsTable = {
  id: string
  account_id: string
  content_id: string
  kind: string
  address: string
  /** The address in lower case. */
  address_key: string
  /** Set: the mail ends with the link that ends this subscription. */
  subscription_id: string | null
  /** `WAITING`, `SUCCESS` or `FAILURE`. */
  status: string
  /** How often it was claimed; also what a claim is compared with. */
  attempts: number
  /** When it may be claimed: a claim moves it to where the claim ends. */
  due_at: number
  created_at: number
  sent_at: number | null
  /** Of the last try. */
  error: string | null
}

/** Subscribers are to be told of what happened to a subject after `since`, from `due_at` on. */
export type AnnouncementsTable = {
  kind: string
  subject: string
  account_id: string
  since: number
  due_at: number
}

export type MailTables = {
  mail_contents: MailContentsTable
  mails: MailsTable
  announcements: AnnouncementsTable
}
