/**
 * What makes a check type: an entry of the registry (index.ts). Routes, schemas, OpenAPI, the stored doc, the schedule, the
 * job, analytics, the page of a result and what an analysis is given all follow from it. What both programs have to know
 * of the type is its entry in protocol/checks.
 */
import type { TSchema } from 'typebox'
import type { CheckType } from '../../../../../protocol/check-type.ts'
import type { ApiScript } from '../../../../../protocol/checks/api.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import type { BundleOfJob } from '../../code-bundles/bundle-of-check.ts'
import type { CheckDoc, CheckFile } from '../check-doc.ts'
import type { Analytics } from './analytics.ts'
import type { DetailReader } from './detail-reader.ts'
import type { RunSeries } from './run-series.ts'

/** What a job's spec is made of: the check with its group's settings and every value in clear. */
type JobMaterial = {
  doc: CheckDoc
  files: CheckFile[]
  /** The uploaded archive that it runs. */
  bundle: BundleOfJob | null
  /** In the order they run. */
  setupScripts: ApiScript[]
  tearDownScripts: ApiScript[]
  /** What those scripts require, by the names of the snippets. */
  snippets: ApiScript[]
  /** Whoever asked for the run wants nothing that an agent kept from earlier ones. */
  refreshCache: boolean
}

/** Of a check or of its group. */
export type Scripts = Pick<
  CheckDoc,
  'setupSnippetId' | 'tearDownSnippetId' | 'localSetupScript' | 'localTearDownScript'
>

export type CheckKind = {
  type: CheckType
  /** `/v1/checks/<path>` */
  path: string
  /** Name of the schema in OpenAPI: `UrlMonitor`, with `NewUrlMonitor` and `UrlMonitorChanges` beside it. */
  title: string
  /** With its article: `a URL monitor`. */
  words: string
  /** As headings name it: `URL monitor`. */
  label: string
  /** What people want to know who create one, for the list that they choose from. */
  purpose: string
  /** A sentence for people who create one. */
  note: string
  /** Every field with its default and bounds. */
  fields: Readonly<Record<string, TSchema>>
  required: readonly string[]
  /** Schemas of fields that answers show otherwise than they are sent. */
  shownFields?: Readonly<Record<string, TSchema>>
  /** The fields that the answer to a creation shows; all unless told otherwise. */
  createdFields?: readonly string[]
  /** A body that creates one. */
  example: Record<string, unknown>
  /** Bytes of a body; the server's default unless told otherwise. */
  bodyLimit?: number
  /** False: nothing is ever due (heartbeats are pinged). */
  scheduled: boolean
  /** Its job carries the variables of check, group and account, in clear. */
  takesVariables: boolean
  /** What it does is a script, with the failures that scripts have. */
  runsScripts?: true
  /** It opens pages, of which there are pictures. */
  opensPages?: true
  /** Its response times are kept for clients that send them, and no run is judged by them. */
  keepsResponseTimes?: true
  /** An HTTP proxy can forward what it sends. */
  proxied?: true
  takesClientCertificates?: true
  /** The one certificate of the account that it presents; `by-host`, or absent: that of its host; null: none. */
  clientCertificate?(doc: CheckDoc): { id: string } | 'by-host' | null
  /** It asks a name server for the records of a name. */
  asksForRecords?: true
  /** The `apiCheckDefaults` of its group are added to its request. */
  takesApiDefaults?: true
  /** The field with the files of its script; they are stored beside the doc. */
  filesField?: 'dependencies' | 'files'
  /** Runs an uploaded archive, too, and keeps what it installed. */
  takesBundle?: true
  /** True: its runs need an agent with the check's runtime. */
  needsRuntime(doc: CheckDoc, group: Scripts | null): boolean
  /** What has to run it, of `suiteEngines`; null: whatever there is. */
  neededEngine?(check: object): string | null
  /** Agents do not run it unless their operator has set these. */
  neededSettings?: readonly string[]
  /** Rules that no schema can say. `files` is undefined when they did not change. */
  problems?(doc: CheckDoc, files: CheckFile[] | undefined): Violation[]
  /** What it stores for what was sent: for parts that the service fills in. */
  complete?(given: CheckDoc, before: CheckDoc | null, newId: () => string): CheckDoc
  /** What it shows for what is stored. */
  show?(doc: CheckDoc, baseUrl: string): CheckDoc
  /** The part of the check that crosses the wire: `spec` of the type in protocol/checks. */
  spec(material: JobMaterial): unknown
  /** Absent: no analytics of its own. */
  analytics?: Analytics
  /** Whom it connects to, where the request says that otherwise than by an address or a name alone. */
  address?(request: Record<string, unknown>): { host: string | undefined; port: number | undefined }
  /** What the exporter of an account shows of its runs beside status and results. */
  series?: RunSeries
  /** Absent: nobody observes it. */
  detail?: DetailReader<unknown>
}
