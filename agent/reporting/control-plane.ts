/**
 * The calls of the control plane that an agent makes, each with its own request and answer (protocol/agent-api.ts). `call.ts`
 * says what they share. No other file talks to the control plane.
 */
import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import {
  agentPaths,
  type ClaimRequest,
  type ErrorEventsRequest,
  ErrorEventsResponse,
  type ReleaseRequest,
  ReleaseResponse,
  type RenewRequest,
  RenewResponse,
  ReportResponse,
} from '../../protocol/agent-api.ts'
import { artifactPathOf, partContentType, UploadState, uploadOffsetHeader } from '../../protocol/artifact.ts'
import { bundleTicketHeader, codeBundlePathOf } from '../../protocol/checks/playwright-spec.ts'
import { Instant } from '../../protocol/clock.ts'
import { OrdersKnown, type OrdersRequest, OrdersResponse, orderPaths } from '../../protocol/standing-order.ts'
import { compile } from '../../protocol/validate.ts'
import type { Answer } from './answer.ts'
import { answerWithinMs, type Connection, type ConnectionOptions, call, createConnection } from './call.ts'
import { type Downloaded, download } from './download.ts'

/** Jobs are validated one by one by whoever runs them: one that is malformed must not cost the others. */
const ClaimAnswer = Type.Object({
  serverTime: Instant,
  leaseMs: Type.Integer({ minimum: 1 }),
  jobs: Type.Array(Type.Unknown()),
  location: Type.Optional(Type.String()),
  orders: Type.Optional(OrdersKnown),
  needed: Type.Optional(Type.Array(Type.String())),
})
export type ClaimAnswer = Static<typeof ClaimAnswer>

/** Orders are validated one by one as well. */
const OrdersAnswer = Type.Object({ ...OrdersResponse.properties, orders: Type.Array(Type.Unknown()) })

/** The control plane as its agent sees it. No call rejects for the network: its answer says why there is none. */
export type ControlPlane = {
  claim(request: ClaimRequest, signal: AbortSignal): Promise<Answer<ClaimAnswer>>
  renew(request: RenewRequest): Promise<Answer<RenewResponse>>
  release(request: ReleaseRequest): Promise<Answer<ReleaseResponse>>
  /** Takes the text of a ReportRequest: reports are written as JSON once, for the spool and the wire alike. */
  report(body: string): Promise<Answer<ReportResponse>>
  /** Asks for the next page of standing orders. */
  orders(request: OrdersRequest): Promise<Answer<Static<typeof OrdersAnswer>>>
  /** Takes the text of a LateReportRequest. */
  lateReport(body: string, signal: AbortSignal): Promise<Answer<ReportResponse>>
  errorEvents(request: ErrorEventsRequest): Promise<Answer<ErrorEventsResponse>>
  /** How much of a file of a result has arrived. */
  artifactState(jobId: string, name: string): Promise<Answer<UploadState>>
  /** Sends the next bytes of one. */
  sendArtifact(part: ArtifactPart, signal: AbortSignal): Promise<Answer<UploadState>>
  /** Writes the archive of a project to `to`. Rejects with the signal's reason. */
  codeBundle(
    bundle: { id: string; bytes: number; ticket: string },
    to: string,
    signal: AbortSignal,
  ): Promise<Downloaded>
  /** Epoch milliseconds on the control plane's clock, as far as it is known. */
  serverNow(): number
  /** Until the first answer: by how much its clock is ahead of this machine's. */
  assumeAhead(milliseconds: number): void
  close(): Promise<void>
}

/** Bytes of a file of a result, from `offset`. `length` of them are in `body`. */
type ArtifactPart = { jobId: string; name: string; offset: number; length: number; body: Readable }

/** Longer than the control plane takes in a request for. */
const partWithinMs = 75_000

const claimed = compile(ClaimAnswer)
const renewed = compile(RenewResponse)
const released = compile(ReleaseResponse)
const reported = compile(ReportResponse)
const ordersPage = compile(OrdersAnswer)
const stored = compile(ErrorEventsResponse)
const uploading = compile(UploadState)

/** Opens no connection before the first call. */
export const createControlPlane = (options: ConnectionOptions): ControlPlane => {
  const connection = createConnection(options)
  const { io, dispatcher } = options
  return {
    ...jobCalls(connection),
    ...orderCalls(connection),
    ...artifactCalls(connection),
    codeBundle: ({ id, bytes, ticket }, to, signal) => {
      const request = { name: 'code-bundle', path: codeBundlePathOf(id), to, maxBytes: bytes, signal }
      return download(connection, { ...request, more: { [bundleTicketHeader]: ticket } })
    },
    errorEvents: (request) =>
      call<typeof ErrorEventsResponse>(connection, {
        name: 'error-events',
        path: agentPaths.errorEvents,
        answer: stored,
        body: JSON.stringify(request),
      }),
    serverNow: () => io.clock.monotonic() + connection.offset,
    assumeAhead: (milliseconds) => {
      connection.offset = io.clock.now() + milliseconds - io.clock.monotonic()
    },
    close: () => dispatcher.destroy(),
  }
}

const jobCalls = (connection: Connection): Pick<ControlPlane, 'claim' | 'renew' | 'release' | 'report'> => ({
  claim: (request, signal) =>
    call<typeof ClaimAnswer>(connection, {
      name: 'claim',
      path: agentPaths.claim,
      answer: claimed,
      body: JSON.stringify(request),
      deadlineMs: request.waitMs + answerWithinMs,
      signal,
    }),
  renew: (request) =>
    call<typeof RenewResponse>(connection, {
      name: 'renew',
      path: agentPaths.renew,
      answer: renewed,
      body: JSON.stringify(request),
    }),
  release: (request) =>
    call<typeof ReleaseResponse>(connection, {
      name: 'release',
      path: agentPaths.release,
      answer: released,
      body: JSON.stringify(request),
    }),
  report: (body) =>
    call<typeof ReportResponse>(connection, {
      name: 'report',
      path: agentPaths.report,
      answer: reported,
      body,
    }),
})

const orderCalls = (connection: Connection): Pick<ControlPlane, 'orders' | 'lateReport'> => ({
  orders: (request) =>
    call<typeof OrdersAnswer>(connection, {
      name: 'orders',
      path: orderPaths.orders,
      answer: ordersPage,
      body: JSON.stringify(request),
    }),
  lateReport: (body, signal) =>
    call<typeof ReportResponse>(connection, {
      name: 'late-report',
      path: orderPaths.lateReport,
      answer: reported,
      body,
      signal,
    }),
})

const artifactCalls = (connection: Connection): Pick<ControlPlane, 'artifactState' | 'sendArtifact'> => ({
  artifactState: (jobId, name) =>
    call<typeof UploadState>(connection, {
      name: 'artifact-state',
      path: artifactPathOf(jobId, name),
      answer: uploading,
      mayRefuse: true,
      method: 'GET',
      body: null,
    }),
  sendArtifact: ({ jobId, name, offset, length, body }, signal) =>
    call<typeof UploadState>(connection, {
      name: 'artifact',
      path: artifactPathOf(jobId, name),
      answer: uploading,
      mayRefuse: true,
      method: 'PATCH',
      headers: {
        'content-type': partContentType,
        'content-length': String(length),
        [uploadOffsetHeader]: String(offset),
      },
      body,
      deadlineMs: partWithinMs,
      signal,
    }),
})
