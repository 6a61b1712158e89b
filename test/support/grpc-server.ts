/** A shop that speaks gRPC, by the library that most of Node's servers use: health, reflection and a few methods. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import grpc from '@grpc/grpc-js'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import type { Test } from 'tap'
import type { Credentials } from './certificates.ts'

export const shopProto = `syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
enum State { STATE_UNSPECIFIED = 0; PAID = 1; }
message Line { string sku_code = 1; int32 count = 2; }
message OrderRequest {
  string id = 1;
  optional int64 number = 2;
  map<string, Line> lines = 3;
  oneof who { string name = 4; bytes token = 5; }
  google.protobuf.Timestamp since = 6;
}
message Order {
  string id = 1;
  int64 number = 2;
  State state = 3;
  repeated Line lines = 4;
  google.protobuf.Timestamp paid_at = 5;
}
service Shop {
  rpc GetOrder(OrderRequest) returns (Order);
  rpc Watch(OrderRequest) returns (stream Order);
}
`

const healthProto = `syntax = "proto3";
package grpc.health.v1;
message HealthCheckRequest { string service = 1; }
message HealthCheckResponse {
  enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
  ServingStatus status = 1;
}
service Health { rpc Check(HealthCheckRequest) returns (HealthCheckResponse); }
`

const definitionOf = (text: string): PackageDefinition => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-grpc-'))
  try {
    writeFileSync(join(folder, 'service.proto'), text)
    return loadSync(join(folder, 'service.proto'), { keepCase: true, longs: String, enums: String })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type Unary = grpc.handleUnaryCall<Record<string, unknown>, Record<string, unknown>>

type ShopOptions = {
  getOrder?: Unary
  /** By the name of the service. */
  health?: Readonly<Record<string, string>>
  reflection?: boolean
  credentials?: Credentials
  /** Clients have to have a certificate of this authority. */
  clientAuthority?: string
}

/** Answers with what it was asked, paid. */
const usual: Unary = ({ request, metadata }, answer) => {
  const trailers = new grpc.Metadata()
  trailers.set('x-served-by', `shop for ${metadata.get('x-tenant')[0] ?? 'nobody'}`)
  const { id, number, lines } = request
  const state = 'PAID'
  const all = Object.values((lines ?? {}) as Record<string, unknown>)
  answer(null, { id, number, state, lines: all, paid_at: { seconds: 1_767_225_600, nanos: 0 } }, trailers)
}

const serviceIn = (definition: PackageDefinition, name: string): grpc.ServiceDefinition =>
  definition[name] as grpc.ServiceDefinition

/** Its port. It ends with the test. */
export const shopServer = async (
  t: Test,
  { getOrder = usual, health = {}, reflection = true, credentials, clientAuthority }: ShopOptions = {},
): Promise<number> => {
  const server = new grpc.Server()
  const shop = definitionOf(shopProto)
  server.addService(serviceIn(shop, 'shop.v1.Shop'), {
    GetOrder: getOrder,
    Watch: (call: grpc.ServerWritableStream<unknown, unknown>) => call.end(),
  })
  const check: Unary = ({ request }, answer) => {
    const status = health[String(request['service'] ?? '')]
    if (status === undefined) answer({ code: grpc.status.NOT_FOUND, details: 'unknown service' })
    else answer(null, { status })
  }
  server.addService(serviceIn(definitionOf(healthProto), 'grpc.health.v1.Health'), { Check: check })
  if (reflection) new ReflectionService(shop).addToServer(server)
  const secured =
    credentials === undefined
      ? grpc.ServerCredentials.createInsecure()
      : grpc.ServerCredentials.createSsl(
          clientAuthority === undefined ? null : Buffer.from(clientAuthority),
          [{ private_key: Buffer.from(credentials.key), cert_chain: Buffer.from(credentials.cert) }],
          clientAuthority !== undefined,
        )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', secured, (error, bound) => (error ? reject(error) : resolve(bound))),
  )
  t.teardown(() => server.forceShutdown())
  return port
}
